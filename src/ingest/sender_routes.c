/* SPDX-License-Identifier: Apache-2.0 */
/* sender_routes - GET /v1/store/senders: who has created how many series and metrics.
 */
#include "ingest/sender_routes.h"

#include "base/table/table.h"

static void handle(void *arg, struct net_request *request)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(table_done) struct table table;
    table_init(&table);
    sender_quota_report(arg, &table);
    table_to_json(&table, &out);
    if (table_error(&table) < 0 || strbuf_error(&out) < 0)
        net_reply_error(request, -ENOMEM, NULL);
    else
        net_reply_json(request, 200, &out);
}

int sender_routes_register(struct sender_quota *quota, struct net_server *server)
{
    const struct net_route route = {
        .method = "GET",
        .pattern = "/v1/store/senders",
        .roles = NET_ROLE_ADMIN,
        .handle = handle,
        .arg = quota,
    };
    return net_server_add_route(server, &route);
}
