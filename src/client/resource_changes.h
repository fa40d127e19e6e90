/* SPDX-License-Identifier: Apache-2.0 */
/* resource_changes - changes of the health of resources, fetched one after the other
 * (GET /v1/resources/changes).
 */
#ifndef CLIENT_RESOURCE_CHANGES_H
#define CLIENT_RESOURCE_CHANGES_H

#include "base/strbuf.h"
#include "base/table/table.h"
#include "client/endpoint.h"

/* Those after the id in *after, which becomes that of the last one; empty: the newest.
 * waits: until there is one, half a minute at most.  *ret_has_any: otherwise the table
 * has nothing but notes that a person may want to see.
 * Errors: as client_http_fetch_table(), -EBADMSG (no id to go on from). */
int resource_changes_fetch(const struct client_endpoint *endpoint, struct strbuf *after,
                           bool waits, struct table *ret, bool *ret_has_any,
                           struct err *err);

#endif
