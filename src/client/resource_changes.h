/* SPDX-License-Identifier: Apache-2.0 */
/* resource_changes - changes of the health of resources, fetched one after the other
 * (GET /v1/resources/changes).
 */
#ifndef CLIENT_RESOURCE_CHANGES_H
#define CLIENT_RESOURCE_CHANGES_H

#include "base/strbuf.h"
#include "base/table/table.h"
#include "client/endpoint.h"

struct resource_follow {
    const struct client_endpoint *endpoint;
    struct strbuf *after;              /* an id, which becomes the last one's */
    void (*note_fn)(const char *text); /* what a person may want to see */
    bool has_begun;                    /* barod has responded */
    unsigned pause_s;                  /* 0: it is there */
    int64_t away_ns;                   /* steady: since when it is not */
};

/* Those after the id: the first time those that there are (it is empty: the newest),
 * then those to come, for which it waits half a minute at most.  *ret_has_any:
 * otherwise the table has nothing but notes that a person may want to see.  Once barod
 * has responded, one that is away, hangs, or has a proxy before it that responds with
 * an error (5xx) is waited for, with a pause that grows.  ret: for table_done(), also
 * after an error.
 * Errors: as client_http_fetch_table(), -EBADMSG (no id to go on from). */
int resource_changes_follow(struct resource_follow *follow, struct table *ret,
                            bool *ret_has_any, struct err *err);

#endif
