/* SPDX-License-Identifier: Apache-2.0 */
/* request - one typed request about jobstats, one typed result, whoever holds the data.
 */
#include "client/request.h"

#include "client/transport.h"

#include <stdlib.h>

struct client {
    const struct client_transport *transport;
    void *state;
};

int client_open(const struct client_endpoint *endpoint, struct client **ret,
                struct err *err)
{
    AUTO(client_close) struct client *client = calloc(1, sizeof *client);
    if (!client)
        return err_set(err, ENOMEM, "out of memory");
    if (endpoint->records && endpoint->server)
        return err_set(err, EINVAL, "--records and --server exclude one another");
    client->transport =
        endpoint->records ? &client_transport_records : &client_transport_http;
    int rc = client->transport->open(endpoint, &client->state, err);
    if (rc == 0)
        *ret = TAKE(client);
    return rc;
}

void client_close(struct client *client)
{
    if (!client)
        return;
    if (client->state)
        client->transport->close(client->state);
    free(client);
}

int client_table(struct client *client, enum client_request request,
                 struct selection *sel, struct table *ret, struct err *err)
{
    return client->transport->table(client->state, request, sel, ret, err);
}

int client_job(struct client *client, struct selection *sel, struct table *parts,
               struct err *err)
{
    return client->transport->job(client->state, sel, parts, err);
}
