/* SPDX-License-Identifier: Apache-2.0 */
/* transport - what a client needs of a way to the data; private to the room. */
#ifndef CLIENT_TRANSPORT_H
#define CLIENT_TRANSPORT_H

#include "client/request.h"

/* Errors of each: as of the functions in request.h. */
struct client_transport {
    int (*open)(const struct client_endpoint *endpoint, void **ret, struct err *err);
    void (*close)(void *state);
    int (*table)(void *state, enum client_request request, struct selection *sel,
                 struct table *ret, struct err *err);
    int (*job)(void *state, struct selection *sel, struct table *parts,
               struct err *err);
};

extern const struct client_transport client_transport_records;
extern const struct client_transport client_transport_http;

#endif
