/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_server - the door for clients of 9P2000.L: datasets as files of a directory. */
#include "dataset/forwarder/ninep/ninep_server.h"

#include "base/span.h"
#include "dataset/forwarder/ninep/ninep_client.h"

#define IN_BYTES 16384U

_Static_assert(IN_BYTES >= NINEP_REQUEST_MAX, "a request");
_Static_assert(NINEP_HEAD_SIZE + 2 + NINEP_NAMES_MAX * NINEP_QID_SIZE <=
                   NINEP_RESPONSE_MAX,
               "the response to a walk");

/* ---- messages without a file of their own ---- */

/* All that there was is gone: fids, and what was waited for. */
static int version_serve(struct ninep_client *client,
                         const struct ninep_message *message)
{
    struct ninep_response response;
    bool is_ours = span_eq(message->version, SPAN(NINEP_VERSION));
    uint32_t msize =
        message->msize < NINEP_MSIZE_MAX ? message->msize : NINEP_MSIZE_MAX;
    ninep_requests_leave(client);
    ninep_fids_leave(client);
    client->has_version = is_ours && msize >= NINEP_MSIZE_MIN;
    if (msize < NINEP_MSIZE_MIN) {
        ninep_fail(client, message->tag, -EINVAL);
        return 0;
    }
    client->msize = msize;
    ninep_response_begin(&response, NINEP_TVERSION + 1, message->tag);
    ninep_put_u32(&response, msize);
    ninep_put_text(&response, is_ours ? SPAN(NINEP_VERSION) : SPAN("unknown"));
    ninep_send(client, &response);
    return 0;
}

/* What it names is not responded to any more: it was before, or it never is. */
static void flush_serve(struct ninep_client *client,
                        const struct ninep_message *message)
{
    struct ninep_request *old = ninep_request_find(client, message->old_tag);
    if (old)
        ninep_request_end(old);
    ninep_done(client, message);
}

static void clunk_serve(struct ninep_client *client,
                        const struct ninep_message *message)
{
    if (ninep_fid_find(client, message->fid)) {
        (void)ninep_fid_remove(client, message->fid);
        ninep_done(client, message);
    } else {
        ninep_fail(client, message->tag, -EBADF);
    }
}

/* The fid of Tremove is gone whatever comes of it. */
static void change_refuse(struct ninep_client *client,
                          const struct ninep_message *message)
{
    if (message->type == NINEP_TREMOVE && ninep_fid_find(client, message->fid))
        (void)ninep_fid_remove(client, message->fid);
    client->server->writes_refused++;
    ninep_fail(client, message->tag, -EROFS);
}

static void message_serve(struct ninep_client *client,
                          const struct ninep_message *message)
{
    switch (message->type) {
    case NINEP_TAUTH:
        ninep_auth(client, message);
        break;
    case NINEP_TATTACH:
        ninep_attach(client, message);
        break;
    case NINEP_TFLUSH:
        flush_serve(client, message);
        break;
    case NINEP_TWALK:
        ninep_walk(client, message);
        break;
    case NINEP_TLOPEN:
        ninep_open(client, message);
        break;
    case NINEP_TGETATTR:
        ninep_getattr(client, message);
        break;
    case NINEP_TSTATFS:
        ninep_statfs(client, message);
        break;
    case NINEP_TREADDIR:
        ninep_readdir(client, message);
        break;
    case NINEP_TREAD:
        ninep_read(client, message);
        break;
    case NINEP_TWRITE:
        ninep_write(client, message);
        break;
    case NINEP_TCLUNK:
        clunk_serve(client, message);
        break;
    case NINEP_TFSYNC:
        ninep_done(client, message); /* there is nothing to be written */
        break;
    case NINEP_TREADLINK:
        ninep_fail(client, message->tag, -EINVAL); /* nothing is a link */
        break;
    default:
        if (ninep_type_writes(message->type))
            change_refuse(client, message);
        else
            ninep_fail(client, message->tag, -ENOTSUP);
    }
}

/* Errors: -EPROTO: what a client that knows the protocol does not send. */
static int checked_serve(struct ninep_client *client,
                         const struct ninep_message *message)
{
    if (message->type == NINEP_TVERSION)
        return version_serve(client, message);
    if (!client->has_version || message->type % 2 != 0 ||
        ninep_request_find(client, message->tag))
        return -EPROTO;
    client->skip = message->skip;
    message_serve(client, message);
    return 0;
}

/* ---- a client ---- */

static void client_leave(struct ninep_client *client)
{
    ninep_requests_leave(client);
    ninep_fids_leave(client);
    clients_remove(&client->client);
}

static void on_ninep_closed(void *owner, const char *reason)
{
    (void)reason;
    client_leave(owner);
}

static void on_ninep_released(void *owner)
{
    free(owner);
}

/* What ends requests is read also where there are as many as may be: else they could
 * never be ended. */
static bool is_stuck(struct ninep_client *client, uint8_t type)
{
    client->is_stuck = channel_is_full(&client->client.channel) ||
                       (type != NINEP_TFLUSH && !ninep_has_capacity(client));
    if (client->is_stuck)
        channel_pause(&client->client.channel);
    return client->is_stuck;
}

static size_t skip_receive(struct ninep_client *client, size_t size)
{
    size_t used = size < client->skip ? size : client->skip;
    client->skip -= (uint32_t)used;
    return used;
}

static size_t on_ninep_received(void *owner, struct span in)
{
    struct ninep_client *client = owner;
    struct ninep_message message;
    size_t done = 0, used = 0;
    int rc = 0;
    while (rc == 0 && !client->client.channel.is_closed) {
        done += skip_receive(client, in.size - done);
        struct span rest = { in.data + done, in.size - done };
        rc = ninep_message_read(rest,
                                client->has_version ? client->msize : NINEP_REQUEST_MAX,
                                &message, &used);
        if (rc != 0 || is_stuck(client, message.type))
            break;
        done += used;
        rc = checked_serve(client, &message);
    }
    if (rc < 0 && !client->client.channel.is_closed) {
        client->server->malformed++;
        channel_close(&client->client.channel);
        client_leave(client);
    }
    return done;
}

static void on_ninep_sent(void *owner)
{
    struct ninep_client *client = owner;
    ninep_reads_start(client);
    ninep_client_resume(client);
}

void ninep_server_accept(struct ninep_server *server, int fd)
{
    static const struct channel_events events = { on_ninep_received, on_ninep_sent,
                                                  on_ninep_closed, on_ninep_released };
    struct ninep_client *client = calloc(1, sizeof *client);
    if (!client || !clients_admit(server->clients, fd)) {
        (void)close(fd);
        free(client);
        return;
    }
    client->server = server;
    if (channel_open(&client->client.channel, server->channels, fd, IN_BYTES, &events,
                     client) < 0) {
        free(client);
        return;
    }
    clients_add(server->clients, &client->client);
}
