/* SPDX-License-Identifier: Apache-2.0 */
/* publication - an event that a client publishes: POST /v1/events/NAME, its body the
 * payload.
 *
 * Threads  the body's: an HTTP thread's; publication_make: the session's.
 */
#ifndef API_SESSION_PUBLICATION_H
#define API_SESSION_PUBLICATION_H

#include "net/net.h"
#include "session/session.h"

#define PUBLICATIONS_MAX 64

struct publication {
    struct net_request *request;
    uint32_t uid;     /* UINT32_MAX: not known, it came by TCP */
    struct span name; /* in the request's memory */
    bool is_once;     /* not where it is among the last events */
    size_t size;
    char payload[SESSION_PAYLOAD_MAX];
};

/* Its state is a struct publication. */
extern const struct net_body publication_body;

/* Of a token for one cluster the payload begins with it: "alex/a1: ...".  Errors:
 * -EACCES. */
int publication_check(const struct publication *publication,
                      const struct net_request *request, struct err *err);
/* Publish and reply. */
void publication_make(const struct publication *publication, struct session_node *node);

#endif
