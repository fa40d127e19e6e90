/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_server - the door for the level below: indexes and chunks by their digests. */
#include "dataset/forwarder/chunk/chunk_server.h"

#include "base/span.h"

#include "dataset/forwarder/chunk/chunk_end.h"
#include "dataset/forwarder/chunk/chunk_identity.h"
#include "dataset/forwarder/chunk/chunk_lookups.h"
#include "dataset/forwarder/chunk/chunk_pushes.h"

#define IN_BYTES 16384U
/* What the response to a chunk's request may hold. */
#define RESPONSE_MAX ((size_t)CHUNK_SIZE_MAX + CHANNEL_PART_BYTES)

static void chunk_send(struct chunk_client_end *end, uint64_t id, uint16_t position,
                       struct payload *chunk)
{
    uint8_t head[CHUNK_FRAME_HEAD_SIZE + 4];
    const struct chunk_frame frame = { .type = CHUNK_FRAME_CHUNK,
                                       .position = position,
                                       .id = id };
    chunk_frame_head(head, &frame, (size_t)chunk->size + 4);
    bytes_put_u32(head + CHUNK_FRAME_HEAD_SIZE, chunk->plain_size);
    channel_send(&end->client.channel, head, sizeof head, chunk, 0, chunk->size);
    end->server->chunks++;
    end->server->bytes += chunk->size;
}

static void request_free(struct chunk_request *request)
{
    request->next = request->end->free_requests;
    request->end->free_requests = request;
}

static void requests_start(struct chunk_client_end *end);

static void on_chunk(struct flight_waiter *waiter, int rc, struct payload *payload)
{
    struct chunk_request *request = (struct chunk_request *)waiter;
    struct chunk_client_end *end = request->end;
    channel_unreserve(&end->client.channel, RESPONSE_MAX);
    if (rc == 0)
        chunk_send(end, request->id, request->position, payload);
    else
        chunk_end_fail(end, request->id, request->position, rc);
    request_free(request);
    requests_start(end);
}

/* A chunk is of a dataset that the client may read, be it in the cache for others.
 * Errors: -EACCES, -EBUSY (memory is out: that is no denial). */
static int request_permit(struct chunk_client_end *end, struct chunk_request *request)
{
    int rc = -EACCES;
    request->waiter.has_dataset = false;
    if (end->client.reader.is_trusted)
        return 0;
    for (unsigned i = 0; i < end->granted_count; i++) {
        int has = dataset_has_chunk(end->granted[i], &request->digest);
        if (has > 0) {
            request->waiter.dataset = end->granted[i]->name;
            request->waiter.has_dataset = true;
            chunk_granted_used(end, i);
            return 0;
        }
        rc = has < 0 ? -EBUSY : rc;
    }
    return rc;
}

/* What was requested is started as far as there is capacity for its responses: all at
 * once they may come while the client reads nothing.  Pings have responses meanwhile.
 */
static void requests_start(struct chunk_client_end *end)
{
    struct channel *channel = &end->client.channel;
    if (end->is_starting)
        return;
    end->is_starting = true;
    while (!channel->is_closed && end->first &&
           channel_has_capacity(channel, RESPONSE_MAX)) {
        struct chunk_request *request = end->first;
        end->first = request->next;
        channel_reserve(channel, RESPONSE_MAX);
        int rc = request_permit(end, request);
        if (rc < 0) {
            on_chunk(&request->waiter, rc, NULL);
            continue;
        }
        struct payload *payload =
            flights_get(end->server->flights, &request->digest, &request->waiter);
        if (payload)
            on_chunk(&request->waiter, 0, payload);
    }
    end->is_starting = false;
}

static int chunks_request(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    size_t count = frame->body.size / DIGEST_SIZE;
    for (size_t i = 0; i < count; i++) {
        struct chunk_request *request = end->free_requests;
        if (!request)
            return -EMSGSIZE; /* more than the welcome states */
        end->free_requests = request->next;
        request->digest = chunk_frame_digest(frame->body, i);
        request->id = frame->id;
        request->position = (uint16_t)i;
        request->next = NULL;
        *(end->first ? &end->last->next : &end->first) = request;
        end->last = request;
    }
    requests_start(end);
    return 0;
}

static int stats_send(struct chunk_client_end *end, const struct chunk_frame *request)
{
    const struct chunk_frame frame = { .type = CHUNK_FRAME_TEXT, .id = request->id };
    AUTO(payload_unref)
    struct payload *text = end->server->stats(end->server->arg);
    if (!text)
        return -ENOMEM;
    chunk_end_send(end, &frame, text, 0, text->size);
    return 0;
}

/* ---- requests ---- */

static int greet(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    static const struct chunk_hello welcome = { CHUNK_FRAME_VERSION,
                                                CHUNK_FRAME_BATCH_MAX,
                                                CHUNK_END_REQUESTS_MAX };
    const struct chunk_frame response = { .type = CHUNK_FRAME_WELCOME };
    uint8_t head[CHUNK_FRAME_HEAD_SIZE + CHUNK_FRAME_HELLO_SIZE];
    struct chunk_hello hello;
    if (frame->type != CHUNK_FRAME_HELLO ||
        chunk_hello_decode(frame->body, &hello, NULL) < 0)
        return -EBADMSG;
    end->is_greeted = true;
    client_set_welcome(&end->client);
    chunk_frame_head(head, &response, CHUNK_FRAME_HELLO_SIZE);
    chunk_hello_encode(&welcome, head + CHUNK_FRAME_HEAD_SIZE);
    channel_send(&end->client.channel, head, sizeof head, NULL, 0, 0);
    return 0;
}

static int request_serve(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    const struct chunk_frame pong = { .type = CHUNK_FRAME_PONG, .id = frame->id };
    if (!end->is_greeted)
        return greet(end, frame);
    switch (frame->type) {
    case CHUNK_FRAME_CHUNKS:
        return chunks_request(end, frame);
    case CHUNK_FRAME_RESOLVE:
    case CHUNK_FRAME_INDEX:
    case CHUNK_FRAME_LEASE:
    case CHUNK_FRAME_PERMIT:
    case CHUNK_FRAME_VIEW:
    case CHUNK_FRAME_PROFILE:
        return chunk_lookup_begin(end, frame);
    case CHUNK_FRAME_LIST:
        return chunk_names_begin(end, frame);
    case CHUNK_FRAME_CHALLENGE:
        return chunk_identity_send(end, frame);
    case CHUNK_FRAME_PROOF:
        return chunk_proof_check(end, frame);
    case CHUNK_FRAME_CREDENTIAL:
        return chunk_credential_begin(end, frame);
    case CHUNK_FRAME_PUSH:
    case CHUNK_FRAME_PUT:
    case CHUNK_FRAME_COMMIT:
        return chunk_push_request(end, frame);
    case CHUNK_FRAME_STATS:
        return stats_send(end, frame);
    case CHUNK_FRAME_PING:
        chunk_end_send(end, &pong, NULL, 0, 0);
        return 0;
    default:
        return -EBADMSG;
    }
}

/* ---- a client ---- */

static void end_leave(struct chunk_client_end *end)
{
    for (uint32_t i = 0; i < CHUNK_END_REQUESTS_MAX; i++)
        flights_leave(&end->requests[i].waiter);
    channel_unreserve(&end->client.channel, end->client.channel.reserved_bytes);
    chunk_lookups_leave(end);
    identity_leave(&end->identity);
    chunk_push_leave(end);
    clients_remove(&end->client);
}

static void on_closed(void *owner, const char *reason)
{
    (void)reason;
    end_leave(owner);
}

static void on_released(void *owner)
{
    free(owner);
}

static bool is_stuck(struct chunk_client_end *end)
{
    end->is_stuck = channel_is_full(&end->client.channel);
    if (end->is_stuck)
        channel_pause(&end->client.channel);
    return end->is_stuck;
}

static size_t on_received(void *owner, struct span in)
{
    struct chunk_client_end *end = owner;
    struct chunk_frame frame;
    size_t done = 0, used = 0;
    int rc = 0;
    while (rc == 0 && !end->client.channel.is_closed && !is_stuck(end)) {
        struct span rest = { in.data + done, in.size - done };
        rc = chunk_frame_read(rest, &frame, &used, NULL);
        if (rc != 0)
            break;
        done += used;
        rc = request_serve(end, &frame);
    }
    if (rc >= 0 && end->has_more)
        rc = chunk_push_grow(end);
    if (rc < 0 && !end->client.channel.is_closed) {
        channel_close(&end->client.channel);
        end_leave(end);
    }
    return done;
}

static void on_sent(void *owner)
{
    struct chunk_client_end *end = owner;
    requests_start(end);
    if (end->client.channel.is_closed || !end->is_stuck ||
        channel_is_full(&end->client.channel))
        return;
    end->is_stuck = false;
    channel_resume(&end->client.channel);
}

void chunk_server_accept(struct chunk_server *server, int fd)
{
    static const struct channel_events events = { on_received, on_sent, on_closed,
                                                  on_released };
    struct chunk_client_end *end = calloc(1, sizeof *end);
    if (!end || !clients_admit(server->clients, fd)) {
        (void)close(fd);
        free(end);
        return;
    }
    end->server = server;
    for (uint32_t i = 0; i < CHUNK_END_REQUESTS_MAX; i++) {
        end->requests[i].end = end;
        end->requests[i].waiter.done = on_chunk;
        end->requests[i].waiter.is_impatient = true;
        request_free(&end->requests[i]);
    }
    if (channel_open(&end->client.channel, server->channels, fd, IN_BYTES, &events,
                     end) < 0) {
        free(end);
        return;
    }
    clients_add(server->clients, &end->client);
}
