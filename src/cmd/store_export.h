/* SPDX-License-Identifier: Apache-2.0 */
/* store_export - what baro store export is asked for. */
#ifndef CMD_STORE_EXPORT_H
#define CMD_STORE_EXPORT_H

#include "client/client.h"
#include "cmd/export_text.h"

struct export_args {
    struct client_args client; /* first: its options' offsets count from here */
    const char *format, *metric, *component, *times, *out;
    /* What was read of them. */
    const char *dir; /* NULL: through the server */
    bool is_cc;
    int64_t from_ns, to_ns;
};

/* Every series that barod lists, by /v1/query.  Errors: those of client/http.h. */
int export_server(const struct export_args *args, struct export_text *text,
                  struct err *err);

#endif
