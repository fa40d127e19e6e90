/* SPDX-License-Identifier: Apache-2.0 */
/* resource_changes - changes of the health of resources, fetched one after the other.
 */
#include "client/resource_changes.h"

#include "base/span.h"
#include "client/http.h"
#include "net/net.h"

#define CHANGES_WAIT "30s"

/* A row with nothing but the id is where nothing changed. */
static bool has_changes(const struct table *table)
{
    int component = table_find_column(table, "component");
    return component >= 0 && !table_at(table, 0, (size_t)component)->is_null;
}

int resource_changes_fetch(const struct client_endpoint *endpoint, struct strbuf *after,
                           bool waits, struct table *ret, bool *ret_has_any,
                           struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    net_url_init(&url, "/v1/resources/changes");
    if (after->size > 0)
        net_url_add_span(&url, "after", strbuf_span(after));
    if (waits)
        net_url_add(&url, "wait", CHANGES_WAIT);
    int rc = client_http_fetch_table(endpoint, &url, ret, err);
    if (rc < 0)
        return rc;
    if (ret->row_count == 0 || table_at(ret, ret->row_count - 1, 0)->is_null)
        return err_set(err, EBADMSG, "the response has no id to go on from");
    strbuf_clear(after);
    strbuf_adds(after, table_at(ret, ret->row_count - 1, 0)->text);
    *ret_has_any = has_changes(ret);
    return strbuf_error(after);
}
