/* SPDX-License-Identifier: Apache-2.0 */
/* http_peer - a server that this room sends requests to, whoever makes the connection.
 *
 * The program fills it with its own client, which knows addresses, tokens and what to
 * try again; a test fills it with a function.
 *
 * Threads  the caller's alone.
 */
#ifndef MIGRATE_HTTP_PEER_H
#define MIGRATE_HTTP_PEER_H

#include "base/err.h"
#include "base/span_type.h"

struct http_peer {
    /* A GET of path, with a body of JSON unless it is empty.  *ret is the body of a
     * response whose status says success; it is valid until the next request.
     * Errors: -errno of the connection or of the status, with a line in err; -EMSGSIZE
     * is "too much for one response". */
    int (*get)(void *arg, const char *path, struct span body, struct span *ret,
               struct err *err);
    /* A POST of plain text that may arrive twice: what the server cannot accept now is
     * sent again.  Errors: likewise. */
    int (*post)(void *arg, const char *path, struct span body, struct span *ret,
                struct err *err);
    void *arg;
};

#endif
