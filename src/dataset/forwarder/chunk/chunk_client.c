/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_client - a connection to an upstream: requests sent, responses matched. */
#include "dataset/forwarder/chunk/chunk_client.h"

#include "base/clock.h"

#define SLOTS 512U
#define IN_FLIGHT_MAX 512U
#define IN_BYTES (2U * (CHUNK_FRAME_BODY_MAX + CHUNK_FRAME_HEAD_SIZE))

/* A request that was sent: a batch of chunks, or one of anything else. */
struct chunk_batch {
    uint64_t id; /* 0: the slot is free */
    enum fetch_kind kind;
    uint16_t count, left;
    uint64_t responded;                           /* a bit a position */
    struct fetch *fetches[CHUNK_FRAME_BATCH_MAX]; /* NULL: responded, or cancelled */
};

_Static_assert(CHUNK_FRAME_BATCH_MAX <= 64, "a bit a position");

struct chunk_client {
    struct channel channel;
    struct channel_loop *channels;
    struct address *address;
    const struct chunk_client_events *events;
    void *owner;
    const struct readers *readers;
    uv_getaddrinfo_t *resolving; /* has client as its data */
    bool has_channel, is_open, is_closing, is_pinged;
    bool is_welcome; /* and open, once it has proved what it is where that is wanted */
    int fd;          /* the channel's */
    struct reader_nonces nonces;
    int64_t started_ns, heard_ns;
    struct chunk_hello limits;
    struct fetch_list chunks, lookups;  /* pending */
    unsigned pending_count, sent_count; /* that are waited for */
    /* What the upstream has not responded to, also where no client waits for it any
     * more: it counts that, too. */
    unsigned chunks_owed, lookups_owed, lists_owed;
    uint64_t next_id;
    uint32_t next_slot;
    struct chunk_batch batches[SLOTS];
};

/* ---- lists ---- */

void fetch_list_append(struct fetch_list *list, struct fetch *fetch)
{
    fetch->list = list;
    fetch->previous = list->last;
    fetch->next = NULL;
    *(list->last ? &list->last->next : &list->first) = fetch;
    list->last = fetch;
}

void fetch_list_remove(struct fetch *fetch)
{
    struct fetch_list *list = fetch->list;
    if (!list)
        return;
    *(fetch->previous ? &fetch->previous->next : &list->first) = fetch->next;
    *(fetch->next ? &fetch->next->previous : &list->last) = fetch->previous;
    fetch->list = NULL;
}

static struct fetch_list *pending_list(struct chunk_client *client,
                                       const struct fetch *fetch)
{
    return fetch->kind == FETCH_CHUNK ? &client->chunks : &client->lookups;
}

static unsigned *owed(struct chunk_client *client, enum fetch_kind kind)
{
    return kind == FETCH_CHUNK  ? &client->chunks_owed
           : kind == FETCH_LIST ? &client->lists_owed
                                : &client->lookups_owed;
}

/* ---- the end ---- */

static void client_return(struct chunk_client *client, struct fetch *fetch)
{
    fetch->client = NULL;
    client->events->returned(client->owner, fetch);
}

static void batch_leave(struct chunk_client *client, struct chunk_batch *batch,
                        uint16_t position)
{
    batch->fetches[position] = NULL;
    client->sent_count--;
}

/* Those that have waited since before then. */
static void pending_return(struct chunk_client *client, struct fetch_list *list,
                           int64_t since_ns)
{
    while (list->first && list->first->sent_ns <= since_ns) {
        struct fetch *fetch = list->first;
        fetch_list_remove(fetch);
        client->pending_count--;
        client_return(client, fetch);
    }
}

void chunk_client_return_since(struct chunk_client *client, int64_t since_ns)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct chunk_batch *batch = &client->batches[i];
        for (uint16_t p = 0; batch->id && p < batch->count; p++) {
            struct fetch *fetch = batch->fetches[p];
            if (!fetch || fetch->sent_ns > since_ns)
                continue;
            batch_leave(client, batch, p);
            client_return(client, fetch);
        }
    }
    pending_return(client, &client->chunks, since_ns);
    pending_return(client, &client->lookups, since_ns);
}

static void client_release(struct chunk_client *client)
{
    client->events->released(client->owner);
    free(client);
}

static void on_channel_released(void *owner)
{
    client_release(owner);
}

void chunk_client_close(struct chunk_client *client)
{
    if (client->is_closing)
        return;
    client->is_closing = true;
    client->is_open = false;
    if (client->has_channel)
        channel_close(&client->channel);
    else if (client->resolving)
        (void)uv_cancel((uv_req_t *)client->resolving); /* on_resolved() releases */
    chunk_client_return_since(client, INT64_MAX);
}

static void client_fail(struct chunk_client *client, const char *reason)
{
    if (client->is_closing)
        return;
    if (!client->is_open)
        client->address->attempt++; /* another one of the name's has its turn */
    chunk_client_close(client);
    client->events->failed(client->owner, reason);
}

static void on_channel_closed(void *owner, const char *reason)
{
    client_fail(owner, reason);
}

/* ---- requests ---- */

bool chunk_client_is_open(const struct chunk_client *client)
{
    return client->is_open;
}

unsigned chunk_client_load(const struct chunk_client *client)
{
    return client->pending_count + client->sent_count;
}

uint64_t chunk_client_received_bytes(const struct chunk_client *client)
{
    return client->has_channel ? client->channel.received_bytes : 0;
}

void chunk_client_fetch(struct chunk_client *client, struct fetch *fetch)
{
    if (chunk_client_load(client) == 0)
        client->heard_ns = clock_steady_ns(); /* from now on it owes something */
    fetch->client = client;
    fetch->sent_ns = clock_steady_ns();
    client->pending_count++;
    fetch_list_append(pending_list(client, fetch), fetch);
}

void chunk_client_cancel(struct fetch *fetch)
{
    struct chunk_client *client = fetch->client;
    if (!client)
        return;
    fetch->client = NULL;
    if (fetch->list) {
        fetch_list_remove(fetch);
        client->pending_count--;
        return;
    }
    batch_leave(client, &client->batches[fetch->slot], fetch->position);
}

int64_t chunk_client_oldest_ns(const struct chunk_client *client)
{
    int64_t oldest_ns = INT64_MAX;
    const struct fetch *pending[] = { client->chunks.first, client->lookups.first };
    for (size_t i = 0; i < COUNT_OF(pending); i++)
        if (pending[i] && pending[i]->sent_ns < oldest_ns)
            oldest_ns = pending[i]->sent_ns;
    for (uint32_t i = 0; client->sent_count && i < SLOTS; i++) {
        const struct chunk_batch *batch = &client->batches[i];
        for (uint16_t p = 0; batch->id && p < batch->count; p++)
            if (batch->fetches[p] && batch->fetches[p]->sent_ns < oldest_ns)
                oldest_ns = batch->fetches[p]->sent_ns;
    }
    return oldest_ns;
}

/* It has an id when it is sent. */
static struct chunk_batch *batch_find_free(struct chunk_client *client)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint32_t slot = (client->next_slot + i) % SLOTS;
        struct chunk_batch *batch = &client->batches[slot];
        if (batch->id)
            continue;
        client->next_slot = slot + 1;
        batch->count = batch->left = 0;
        batch->responded = 0;
        return batch;
    }
    return NULL;
}

static void batch_add(struct chunk_client *client, struct chunk_batch *batch,
                      struct fetch *fetch)
{
    fetch_list_remove(fetch);
    client->pending_count--;
    client->sent_count++;
    ++*owed(client, fetch->kind);
    batch->kind = fetch->kind;
    fetch->slot = (uint16_t)(batch - client->batches);
    fetch->position = batch->count;
    batch->fetches[batch->count++] = fetch;
    batch->left++;
}

static void frame_send(struct chunk_client *client, uint16_t type, uint64_t id,
                       struct payload *body)
{
    uint8_t head[CHUNK_FRAME_HEAD_SIZE];
    const struct chunk_frame frame = { .type = type, .id = id };
    chunk_frame_head(head, &frame, body ? body->size : 0);
    channel_send(&client->channel, head, sizeof head, body, 0, body ? body->size : 0);
}

/* Chunks one behind the other in the list go in one frame. */
static struct payload *batch_chunks(struct chunk_client *client,
                                    struct chunk_batch *batch)
{
    uint32_t most = client->limits.batch_max < CHUNK_FRAME_BATCH_MAX
                        ? client->limits.batch_max
                        : CHUNK_FRAME_BATCH_MAX;
    struct payload *body = payload_new((size_t)most * DIGEST_SIZE);
    if (!body)
        return NULL;
    while (client->chunks.first && batch->count < most &&
           client->chunks_owed < client->limits.requests_max) {
        struct fetch *fetch = client->chunks.first;
        memcpy(body->data + (size_t)batch->count * DIGEST_SIZE, fetch->digest.bytes,
               DIGEST_SIZE);
        batch_add(client, batch, fetch);
    }
    body->size = body->plain_size = batch->count * (uint32_t)DIGEST_SIZE;
    return body;
}

static size_t single_size(const struct fetch *fetch)
{
    switch (fetch->kind) {
    case FETCH_RESOLVE:
        return strlen(fetch->text);
    case FETCH_INDEX:
    case FETCH_PROFILE:
        return DIGEST_SIZE + 8;
    case FETCH_LEASE:
    case FETCH_PERMIT:
    case FETCH_VIEW:
        return CHUNK_FRAME_LEASE_SIZE + strlen(fetch->text);
    default:
        return 0;
    }
}

static struct payload *batch_single(struct chunk_client *client,
                                    struct chunk_batch *batch, struct fetch *fetch)
{
    struct payload *body = payload_new(single_size(fetch));
    if (!body)
        return NULL;
    if (fetch->kind == FETCH_RESOLVE)
        memcpy(body->data, fetch->text, body->size);
    if (fetch->kind != FETCH_RESOLVE && body->size) {
        memcpy(body->data, fetch->digest.bytes, DIGEST_SIZE);
        bytes_put_u64(body->data + DIGEST_SIZE, fetch->offset);
    }
    if (body->size > CHUNK_FRAME_LEASE_SIZE && fetch->kind != FETCH_RESOLVE)
        memcpy(body->data + CHUNK_FRAME_LEASE_SIZE, fetch->text,
               body->size - CHUNK_FRAME_LEASE_SIZE);
    batch_add(client, batch, fetch);
    return body;
}

/* The first that may be sent now: lists go one at a time. */
static struct fetch *lookup_sendable(const struct chunk_client *client)
{
    struct fetch *fetch = client->lookups.first;
    while (fetch && (fetch->kind == FETCH_LIST
                         ? client->lists_owed > 0
                         : client->lookups_owed >= CHUNK_FRAME_LOOKUPS_MAX))
        fetch = fetch->next;
    return fetch;
}

/* lookup NULL: chunks.  Where memory is out the next check sends it. */
static bool batch_send(struct chunk_client *client, struct fetch *lookup)
{
    static const uint16_t types[] = {
        [FETCH_CHUNK] = CHUNK_FRAME_CHUNKS, [FETCH_RESOLVE] = CHUNK_FRAME_RESOLVE,
        [FETCH_INDEX] = CHUNK_FRAME_INDEX,  [FETCH_LIST] = CHUNK_FRAME_LIST,
        [FETCH_LEASE] = CHUNK_FRAME_LEASE,  [FETCH_PERMIT] = CHUNK_FRAME_PERMIT,
        [FETCH_VIEW] = CHUNK_FRAME_VIEW,    [FETCH_PROFILE] = CHUNK_FRAME_PROFILE
    };
    struct chunk_batch *batch = batch_find_free(client);
    AUTO(payload_unref)
    struct payload *body = !batch   ? NULL
                           : lookup ? batch_single(client, batch, lookup)
                                    : batch_chunks(client, batch);
    if (!body)
        return false;
    batch->id = (++client->next_id << 16) | (uint64_t)(batch - client->batches);
    frame_send(client, types[batch->kind], batch->id, body);
    return true;
}

void chunk_client_flush(struct chunk_client *client)
{
    struct fetch *lookup;
    while (client->is_open && (lookup = lookup_sendable(client)) != NULL)
        if (!batch_send(client, lookup))
            return;
    while (client->is_open && client->chunks.first &&
           client->chunks_owed < client->limits.requests_max)
        if (!batch_send(client, NULL))
            return;
}

/* All that it may owe at once was cancelled: nothing can be sent any more. */
static bool is_exhausted(const struct chunk_client *client, int64_t since_ns)
{
    const struct fetch *chunk = client->chunks.first, *lookup = client->lookups.first;
    return client->is_open && client->sent_count == 0 &&
           ((chunk && chunk->sent_ns <= since_ns) ||
            (lookup && lookup->sent_ns <= since_ns));
}

void chunk_client_check(struct chunk_client *client, int64_t now_ns, int64_t timeout_ns)
{
    bool is_owing = !client->is_open || client->sent_count > 0;
    if (client->is_closing)
        return;
    if (is_exhausted(client, now_ns - timeout_ns)) {
        client_fail(client, "it responds to no request");
        return;
    }
    if (!is_owing)
        return;
    if (now_ns - client->heard_ns >= timeout_ns) {
        client_fail(client, "it sends nothing");
        return;
    }
    if (client->is_open && !client->is_pinged &&
        now_ns - client->heard_ns >= timeout_ns / 4) {
        client->is_pinged = true;
        frame_send(client, CHUNK_FRAME_PING, 0, NULL);
    }
}

/* ---- responses ---- */

/* *ret NULL: it was cancelled.  Errors: -EBADMSG (there is no such request,
 * or it has been responded to). */
static int fetch_match(struct chunk_client *client, const struct chunk_frame *frame,
                       struct fetch **ret, struct err *err)
{
    struct chunk_batch *batch = &client->batches[frame->id & 0xffff & (SLOTS - 1)];
    if (frame->id == 0 || batch->id != frame->id || frame->position >= batch->count ||
        batch->responded & UINT64_C(1) << frame->position)
        return err_set(err, EBADMSG, "it responded to what was not requested");
    struct fetch *fetch = batch->fetches[frame->position];
    if (fetch) {
        batch_leave(client, batch, frame->position);
        fetch->client = NULL;
    }
    batch->responded |= UINT64_C(1) << frame->position;
    --*owed(client, batch->kind);
    if (--batch->left == 0)
        batch->id = 0;
    *ret = fetch;
    return 0;
}

static bool is_of_kind(const struct chunk_frame *frame, enum fetch_kind kind)
{
    static const uint16_t types[] = {
        [FETCH_CHUNK] = CHUNK_FRAME_CHUNK,      [FETCH_RESOLVE] = CHUNK_FRAME_RESOLVED,
        [FETCH_INDEX] = CHUNK_FRAME_INDEX_PART, [FETCH_LIST] = CHUNK_FRAME_NAMES,
        [FETCH_LEASE] = CHUNK_FRAME_LEASED,     [FETCH_PERMIT] = CHUNK_FRAME_LEASED,
        [FETCH_VIEW] = CHUNK_FRAME_VIEWED,      [FETCH_PROFILE] = CHUNK_FRAME_PROFILED
    };
    return frame->type == CHUNK_FRAME_FAILED || frame->type == types[kind];
}

static int failure_error(uint32_t code)
{
    return code == CHUNK_FAILURE_NOT_FOUND ? -ENOENT
           : code == CHUNK_FAILURE_DAMAGED ? -EUCLEAN
           : code == CHUNK_FAILURE_REFUSED ? -EFBIG
           : code == CHUNK_FAILURE_DENIED  ? -EACCES
                                           : -EAGAIN;
}

static struct payload *response_payload(const struct chunk_frame *frame,
                                        struct fetch *fetch)
{
    size_t skip = fetch->kind == FETCH_CHUNK ? 4 : fetch->kind == FETCH_INDEX ? 8 : 0;
    struct payload *payload = payload_new(frame->body.size - skip);
    if (!payload)
        return NULL;
    memcpy(payload->data, frame->body.data + skip, payload->size);
    if (fetch->kind == FETCH_CHUNK) {
        payload->plain_size = chunk_frame_u32(frame->body);
        payload->digest = fetch->digest;
    }
    if (fetch->kind == FETCH_INDEX)
        fetch->total = chunk_frame_total(frame->body);
    return payload;
}

static int client_respond(struct chunk_client *client, const struct chunk_frame *frame,
                          struct err *err)
{
    struct payload *payload = NULL;
    struct fetch *fetch = NULL;
    if (frame->type == CHUNK_FRAME_PONG)
        return 0;
    int rc = fetch_match(client, frame, &fetch, err);
    if (rc < 0 || !fetch)
        return rc;
    rc = frame->type == CHUNK_FRAME_FAILED ? failure_error(chunk_frame_u32(frame->body))
                                           : 0;
    if (!is_of_kind(frame, fetch->kind))
        rc = -EAGAIN;
    if (rc == 0) {
        payload = response_payload(frame, fetch);
        rc = payload ? 0 : -EAGAIN;
    }
    client->events->responded(client->owner, fetch, rc, payload);
    return 0;
}

static int proof_send(struct chunk_client *client)
{
    AUTO(payload_unref) struct payload *body = payload_new(READER_PROOF_SIZE);
    int rc = body ? reader_proof_make(client->readers, READER_CONNECTS, &client->nonces,
                                      body->data)
                  : -ENOMEM;
    if (rc == 0)
        frame_send(client, CHUNK_FRAME_PROOF, 0, body);
    return rc;
}

static void client_opened(struct chunk_client *client)
{
    client->is_open = true;
    client->events->opened(client->owner);
}

/* Nothing is requested of who listens there by chance, and nothing believed: it proves
 * what it is before this side does.  A unix socket of a trusted user's needs no proof.
 */
static int identity_receive(struct chunk_client *client,
                            const struct chunk_frame *frame, struct err *err)
{
    const uint8_t *body = (const uint8_t *)frame->body.data;
    struct reader peer;
    if (frame->type != CHUNK_FRAME_IDENTITY)
        return err_set(err, EBADMSG, "it does not speak the chunk protocol");
    memcpy(client->nonces.listens, body, READER_NONCE_SIZE);
    int rc = 0;
    if (reader_proof_is_right(client->readers, READER_LISTENS, &client->nonces,
                              body + READER_NONCE_SIZE))
        rc = proof_send(client);
    else {
        reader_of(client->readers, client->fd, &peer);
        if (!peer.is_trusted)
            return err_set(err, EACCES,
                           "it does not prove that it has the site's key, dataset.key");
    }
    if (rc == 0)
        client_opened(client);
    return rc;
}

static int welcome_receive(struct chunk_client *client, const struct chunk_frame *frame,
                           struct err *err)
{
    if (frame->type != CHUNK_FRAME_WELCOME)
        return err_set(err, EBADMSG, "it does not speak the chunk protocol");
    int rc = chunk_hello_decode(frame->body, &client->limits, err);
    if (rc < 0)
        return rc;
    if (client->limits.requests_max > IN_FLIGHT_MAX)
        client->limits.requests_max = IN_FLIGHT_MAX;
    client->is_welcome = true;
    if (!client->readers->key_size)
        client_opened(client);
    return 0;
}

static size_t on_received(void *owner, struct span in)
{
    struct chunk_client *client = owner;
    struct chunk_frame frame;
    struct err err = { 0 };
    size_t done = 0, used = 0;
    int rc = 0;
    client->heard_ns = clock_steady_ns();
    client->is_pinged = false;
    while (!client->is_closing && rc == 0) {
        struct span rest = { in.data + done, in.size - done };
        rc = chunk_frame_read(rest, &frame, &used, &err);
        if (rc != 0)
            break;
        done += used;
        if (!client->is_welcome)
            rc = welcome_receive(client, &frame, &err);
        else if (!client->is_open)
            rc = identity_receive(client, &frame, &err);
        else
            rc = client_respond(client, &frame, &err);
    }
    if (rc < 0)
        client_fail(client, err.text);
    return done;
}

static void on_sent(void *owner)
{
    (void)owner;
}

/* ---- the beginning ---- */

static int challenge_send(struct chunk_client *client)
{
    AUTO(payload_unref) struct payload *body = payload_new(READER_NONCE_SIZE);
    int rc = body ? reader_nonce_make(client->nonces.connects) : -ENOMEM;
    if (rc < 0)
        return rc;
    memcpy(body->data, client->nonces.connects, READER_NONCE_SIZE);
    frame_send(client, CHUNK_FRAME_CHALLENGE, 0, body);
    return 0;
}

static int client_begin(struct chunk_client *client, const struct addrinfo *found)
{
    static const struct channel_events events = { on_received, on_sent,
                                                  on_channel_closed,
                                                  on_channel_released };
    static const struct chunk_hello hello = { CHUNK_FRAME_VERSION,
                                              CHUNK_FRAME_BATCH_MAX, IN_FLIGHT_MAX };
    int fd = -1;
    int rc = address_connect(client->address, found, &fd);
    if (rc == 0)
        rc = channel_open(&client->channel, client->channels, fd, IN_BYTES, &events,
                          client);
    if (rc < 0)
        return rc;
    client->has_channel = true;
    client->fd = fd;
    AUTO(payload_unref) struct payload *body = payload_new(CHUNK_FRAME_HELLO_SIZE);
    if (!body)
        return -ENOMEM;
    chunk_hello_encode(&hello, body->data);
    frame_send(client, CHUNK_FRAME_HELLO, 0, body);
    return client->readers->key_size ? challenge_send(client) : 0;
}

/* What fails here fails as a connection does: from the loop, not from the caller. */
static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
    struct chunk_client *client = request->data;
    free(request);
    client->resolving = NULL;
    bool was_closing = client->is_closing;
    if (!was_closing && status == 0)
        status = client_begin(client, found);
    if (!was_closing && status < 0)
        client_fail(client, uv_strerror(status));
    if (client->is_closing && !client->has_channel)
        client_release(client);
    uv_freeaddrinfo(found);
}

static int client_resolve(struct chunk_client *client)
{
    static const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                           .ai_flags = AI_NUMERICSERV };
    uv_getaddrinfo_t *request = calloc(1, sizeof *request);
    if (!request)
        return -ENOMEM;
    request->data = client;
    int rc = uv_getaddrinfo(client->channels->loop, request, on_resolved,
                            client->address->host, client->address->port, &hints);
    if (rc < 0)
        free(request);
    else
        client->resolving = request;
    return rc;
}

int chunk_client_connect(struct channel_loop *channels, struct address *address,
                         const struct readers *readers,
                         const struct chunk_client_events *events, void *owner,
                         struct chunk_client **ret)
{
    struct chunk_client *client = calloc(1, sizeof *client);
    if (!client)
        return -ENOMEM;
    client->channels = channels;
    client->readers = readers;
    client->address = address;
    client->events = events;
    client->owner = owner;
    client->started_ns = client->heard_ns = clock_steady_ns();
    int rc = address->path ? client_begin(client, NULL) : client_resolve(client);
    if (rc < 0 && !client->has_channel) {
        free(client);
        return rc;
    }
    *ret = client; /* memory was out for its hello: the check ends it */
    return 0;
}
