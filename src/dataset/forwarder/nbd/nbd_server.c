/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_server - the door for kernels and NBD's own tools: datasets as block devices. */
#include "dataset/forwarder/nbd/nbd_server.h"

#include "dataset/forwarder/nbd/nbd_client.h"

#define IN_BYTES 16384U

_Static_assert(IN_BYTES >= NBD_OPTION_HEAD_SIZE + NBD_OPTION_DATA_MAX, "one option");

static void client_leave(struct nbd_client *client)
{
    nbd_reads_leave(client);
    nbd_options_leave(client);
    clients_remove(&client->client);
}

static void nbd_client_end(struct nbd_client *client)
{
    if (client->client.channel.is_closed)
        return;
    channel_close(&client->client.channel);
    client_leave(client);
}

static void on_closed(void *owner, const char *reason)
{
    (void)reason;
    client_leave(owner);
}

static void on_released(void *owner)
{
    free(owner);
}

/* ---- requests ---- */

static int request_serve(struct nbd_client *client, const struct nbd_request *request)
{
    int rc = nbd_request_payload(request, &client->skip);
    if (rc < 0)
        return rc;
    if (request->command == NBD_CMD_DISC) {
        client->is_ended = true;
        return 0;
    }
    int error = nbd_request_check(request, client->dataset->index.image_bytes);
    if (error || request->command == NBD_CMD_FLUSH)
        nbd_reply(client, request->cookie, error);
    else
        nbd_read_begin(client, request);
    return 0;
}

/* The bytes of a request to write, which was refused. */
static size_t skip_receive(struct nbd_client *client, size_t size)
{
    size_t used = size < client->skip ? size : client->skip;
    client->skip -= (uint32_t)used;
    return used;
}

static int requests_receive(struct nbd_client *client, struct span in, size_t *ret_used)
{
    struct nbd_request request;
    if (client->skip) {
        *ret_used = skip_receive(client, in.size);
        return 0;
    }
    if (!nbd_reads_have_capacity(client)) {
        channel_pause(&client->client.channel);
        return 0;
    }
    int rc = nbd_request_read(in, &request);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    *ret_used = NBD_REQUEST_SIZE;
    return request_serve(client, &request);
}

/* ---- a client ---- */

/* An ABORT's reply goes before the end. */
static void client_finish(struct nbd_client *client)
{
    if (channel_queued(&client->client.channel) == 0 ||
        client->phase == NBD_PHASE_REQUESTS)
        nbd_client_end(client);
}

static size_t on_received(void *owner, struct span in)
{
    struct nbd_client *client = owner;
    size_t done = 0, used = 1;
    int rc = 0;
    while (rc == 0 && used && done < in.size && !client->is_ended &&
           !client->client.channel.is_closed) {
        struct span rest = { in.data + done, in.size - done };
        used = 0;
        rc = client->phase == NBD_PHASE_REQUESTS
                 ? requests_receive(client, rest, &used)
                 : nbd_options_receive(client, rest, &used);
        done += used;
    }
    if (rc < 0)
        nbd_client_end(client);
    else if (client->is_ended)
        client_finish(client);
    return client->is_ended ? in.size : done;
}

static void on_sent(void *owner)
{
    struct nbd_client *client = owner;
    if (client->is_ended) {
        client_finish(client);
        return;
    }
    nbd_reads_resume(client);
}

void nbd_server_turn(struct nbd_server *server)
{
    struct nbd_client *last = server->last_turn;
    server->turn_chunks = 0;
    for (bool is_last = false; server->first_turn && !is_last;) {
        struct nbd_client *client = server->first_turn;
        is_last = client == last;
        nbd_reads_leave_turn(client);
        nbd_reads_resume(client);
    }
}

void nbd_server_accept(struct nbd_server *server, int fd)
{
    static const struct channel_events events = { on_received, on_sent, on_closed,
                                                  on_released };
    struct nbd_client *client = calloc(1, sizeof *client);
    if (!client || !clients_admit(server->clients, fd)) {
        (void)close(fd);
        free(client);
        return;
    }
    client->server = server;
    nbd_reads_init(client);
    if (channel_open(&client->client.channel, server->channels, fd, IN_BYTES, &events,
                     client) < 0) {
        free(client);
        return;
    }
    clients_add(server->clients, &client->client);
    nbd_options_greet(client);
}
