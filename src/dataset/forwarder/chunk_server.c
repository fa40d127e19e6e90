/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_server - the door for the level below: indexes and chunks by their digests. */
#include "dataset/forwarder/chunk_server.h"

#include "base/span.h"

#include "dataset/forwarder/chunk_frame.h"

#include <openssl/crypto.h>

#define GRANTED_MAX 32U /* datasets that a client of a user has open */
#define IN_BYTES 16384U
#define REQUESTS_MAX 512U
#define PART_MAX (CHUNK_FRAME_BODY_MAX - 8U)
/* What the response to a chunk's request may hold. */
#define RESPONSE_MAX ((size_t)CHUNK_SIZE_MAX + CHANNEL_PART_BYTES)

struct chunk_client_end;

/* A chunk that was requested. */
struct chunk_request {
    struct flight_waiter waiter; /* first */
    struct chunk_client_end *end;
    struct digest digest;
    uint64_t id;
    uint16_t position;
    struct chunk_request *next; /* of those that are free, or are to be started */
};

/* A name or an index that was requested. */
struct lookup_request {
    struct dataset_waiter waiter; /* first */
    struct chunk_client_end *end;
    struct profile_waiter profile;
    struct lease *lease;     /* it is one, or whether the user may have the dataset */
    struct dataset *dataset; /* that was found, until it is permitted */
    uint64_t id, offset;
    enum chunk_frame_type type;
    struct view_text *view; /* that was requested; NULL: none */
    struct lookup_request *previous, *next;
};

/* All names, for a client. */
struct names_request {
    struct dataset_names names;   /* first */
    struct chunk_client_end *end; /* NULL: it is gone */
    uint64_t id;
};

struct chunk_client_end {
    struct client client; /* first */
    struct chunk_server *server;
    bool is_greeted, is_stuck, is_starting;
    enum proof_state { PROOF_NONE, PROOF_WANTED, PROOF_OVER } proof;
    struct reader_nonces nonces; /* unless PROOF_NONE */
    struct identity *identity;   /* its credential is decoded */
    uint64_t credential_id;
    bool has_credential; /* it was sent one, for once */
    unsigned lookup_count;
    struct lookup_request *lookups;
    struct names_request *names;
    struct dataset
        *granted[GRANTED_MAX]; /* of one that is not trusted: what it may read */
    unsigned granted_count;
    struct chunk_request *free_requests;
    struct chunk_request *first, *last; /* to be started, once there is capacity */
    struct chunk_request requests[REQUESTS_MAX];
};

/* ---- responses ---- */

static void frame_send(struct chunk_client_end *end, const struct chunk_frame *frame,
                       struct payload *body, uint32_t offset, uint32_t size)
{
    uint8_t head[CHUNK_FRAME_HEAD_SIZE];
    chunk_frame_head(head, frame, size);
    channel_send(&end->client.channel, head, sizeof head, body, offset, size);
}

static void failure_send(struct chunk_client_end *end, uint64_t id, uint16_t position,
                         int rc)
{
    uint8_t head[CHUNK_FRAME_HEAD_SIZE + 4];
    const struct chunk_frame frame = { .type = CHUNK_FRAME_FAILED,
                                       .position = position,
                                       .id = id };
    uint32_t code = rc == -ENOENT || rc == -EINVAL ? CHUNK_FAILURE_NOT_FOUND
                    : rc == -EUCLEAN               ? CHUNK_FAILURE_DAMAGED
                    : rc == -EFBIG                 ? CHUNK_FAILURE_REFUSED
                    : rc == -EACCES                ? CHUNK_FAILURE_DENIED
                    : rc == -EBUSY                 ? CHUNK_FAILURE_BUSY
                                                   : CHUNK_FAILURE_UNAVAILABLE;
    chunk_frame_head(head, &frame, 4);
    bytes_put_u32(head + CHUNK_FRAME_HEAD_SIZE, code);
    channel_send(&end->client.channel, head, sizeof head, NULL, 0, 0);
}

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

/* ---- chunks ---- */

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
        failure_send(end, request->id, request->position, rc);
    request_free(request);
    requests_start(end);
}

/* The one that was used last is the first: where there are too many the last goes. */
static void granted_used(struct chunk_client_end *end, unsigned number)
{
    struct dataset *used = end->granted[number];
    for (; number > 0; number--)
        end->granted[number] = end->granted[number - 1];
    end->granted[0] = used;
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
            granted_used(end, i);
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

/* ---- names and indexes ---- */

static void lookup_unlink(struct lookup_request *lookup)
{
    struct chunk_client_end *end = lookup->end;
    *(lookup->previous ? &lookup->previous->next : &end->lookups) = lookup->next;
    if (lookup->next)
        lookup->next->previous = lookup->previous;
    end->lookup_count--;
}

static void lookup_free(struct lookup_request *lookup)
{
    lookup_unlink(lookup);
    free(lookup->view);
    free(lookup);
}

static void index_send(struct lookup_request *lookup, const struct dataset *dataset)
{
    struct payload *encoded = dataset->encoded;
    uint8_t head[CHUNK_FRAME_HEAD_SIZE + 8];
    const struct chunk_frame frame = { .type = CHUNK_FRAME_INDEX_PART,
                                       .id = lookup->id };
    if (lookup->offset >= encoded->size) {
        failure_send(lookup->end, lookup->id, 0, -EINVAL);
        return;
    }
    uint32_t offset = (uint32_t)lookup->offset, rest = encoded->size - offset;
    uint32_t size = rest < PART_MAX ? rest : PART_MAX;
    chunk_frame_head(head, &frame, (size_t)size + 8);
    bytes_put_u64(head + CHUNK_FRAME_HEAD_SIZE, encoded->size);
    channel_send(&lookup->end->client.channel, head, sizeof head, encoded, offset,
                 size);
}

static void resolved_send(struct lookup_request *lookup, const struct dataset *dataset)
{
    uint8_t head[CHUNK_FRAME_HEAD_SIZE + DIGEST_SIZE];
    const struct chunk_frame frame = { .type = CHUNK_FRAME_RESOLVED, .id = lookup->id };
    chunk_frame_head(head, &frame, DIGEST_SIZE);
    memcpy(head + CHUNK_FRAME_HEAD_SIZE, dataset->name.bytes, DIGEST_SIZE);
    channel_send(&lookup->end->client.channel, head, sizeof head, NULL, 0, 0);
}

static void leased_send(struct lookup_request *lookup)
{
    const struct chunk_frame leased = { .type = CHUNK_FRAME_LEASED, .id = lookup->id };
    frame_send(lookup->end, &leased, NULL, 0, 0);
}

static void lookup_end(struct lookup_request *lookup, int rc, struct dataset *dataset)
{
    if (rc < 0)
        failure_send(lookup->end, lookup->id, 0, rc);
    else if (lookup->type == CHUNK_FRAME_RESOLVE)
        resolved_send(lookup, dataset);
    else if (lookup->type == CHUNK_FRAME_PERMIT)
        leased_send(lookup);
    else
        index_send(lookup, dataset);
    dataset_unref(lookup->end->server->datasets, dataset);
    lookup_free(lookup);
}

/* Chunks of it are requested by this client next. */
static void grant(struct chunk_client_end *end, struct dataset *dataset)
{
    unsigned i = 0;
    while (i < end->granted_count && end->granted[i] != dataset)
        i++;
    if (i == GRANTED_MAX)
        dataset_unref(end->server->datasets, end->granted[--i]);
    if (i == end->granted_count || end->granted[i] != dataset) {
        dataset->refs++;
        end->granted[i] = dataset;
        end->granted_count += i == end->granted_count;
    }
    granted_used(end, i);
}

static void on_permitted(void *arg, int rc)
{
    struct lookup_request *lookup = arg;
    struct dataset *dataset = TAKE(lookup->dataset);
    if (rc == -EACCES)
        client_denied(&lookup->end->client, &lookup->end->client.reader, dataset->text);
    if (rc == 0)
        grant(lookup->end, dataset);
    lookup_end(lookup, rc, dataset);
}

static void on_dataset(struct dataset_waiter *waiter, int rc, struct dataset *dataset)
{
    struct lookup_request *lookup = (struct lookup_request *)waiter;
    struct chunk_client_end *end = lookup->end;
    if (rc < 0 || end->client.reader.is_trusted) {
        lookup_end(lookup, rc, dataset);
        return;
    }
    lookup->dataset = dataset;
    permit_begin(end->server->leases, &dataset->name, &end->client.reader, on_permitted,
                 lookup, &lookup->lease);
}

/* Errors: -EBUSY (there are too many), -ENOMEM. */
static int lookup_new(struct chunk_client_end *end, const struct chunk_frame *frame,
                      struct lookup_request **ret)
{
    if (end->lookup_count == CHUNK_FRAME_LOOKUPS_MAX)
        return -EBUSY;
    struct lookup_request *lookup = calloc(1, sizeof *lookup);
    if (!lookup)
        return -ENOMEM;
    lookup->end = end;
    lookup->id = frame->id;
    lookup->type = frame->type;
    lookup->next = end->lookups;
    if (end->lookups)
        end->lookups->previous = lookup;
    end->lookups = lookup;
    end->lookup_count++;
    *ret = lookup;
    return 0;
}

static void on_leased(void *arg, int rc)
{
    struct lookup_request *lookup = arg;
    if (rc < 0)
        failure_send(lookup->end, lookup->id, 0, rc);
    else
        leased_send(lookup);
    lookup_free(lookup);
}

/* For a user that a server names. */
static void permit_request(struct chunk_client_end *end, struct lookup_request *lookup,
                           const struct chunk_frame *frame)
{
    const struct digest name = chunk_frame_digest(frame->body, 0);
    const struct span groups = { frame->body.data + CHUNK_FRAME_LEASE_SIZE,
                                 frame->body.size - CHUNK_FRAME_LEASE_SIZE };
    struct reader reader;
    if (reader_parse(chunk_frame_offset(frame->body), groups, &reader) < 0)
        on_leased(lookup, -EACCES);
    else
        permit_begin(end->server->leases, &name, &reader, on_leased, lookup,
                     &lookup->lease);
}

static void lease_request(struct chunk_client_end *end, struct lookup_request *lookup,
                          const struct chunk_frame *frame)
{
    const struct lease_terms terms = {
        .name = chunk_frame_digest(frame->body, 0),
        .holder = { frame->body.data + CHUNK_FRAME_LEASE_SIZE,
                    frame->body.size - CHUNK_FRAME_LEASE_SIZE },
        .lasts_s = chunk_frame_offset(frame->body),
    };
    if (!end->client.reader.is_trusted)
        on_leased(lookup, -EFBIG); /* it is no server */
    else
        lease_begin(end->server->leases, &terms, on_leased, lookup, &lookup->lease);
}

static void on_viewed(void *arg, int rc)
{
    struct lookup_request *lookup = arg;
    const struct chunk_frame frame = { .type = CHUNK_FRAME_VIEWED, .id = lookup->id };
    AUTO(payload_unref)
    struct payload *body = rc == 0 ? payload_new(lookup->view->size) : NULL;
    if (body) {
        memcpy(body->data, lookup->view->data, lookup->view->size);
        frame_send(lookup->end, &frame, body, 0, body->size);
    } else {
        failure_send(lookup->end, lookup->id, 0, rc < 0 ? rc : -ENOMEM);
    }
    lookup_free(lookup);
}

/* For a server: it has found that its reader may have the dataset. */
static void view_request(struct chunk_client_end *end, struct lookup_request *lookup,
                         const struct chunk_frame *frame)
{
    const struct digest name = chunk_frame_digest(frame->body, 0);
    bool is_trusted = end->client.reader.is_trusted;
    lookup->view = is_trusted ? malloc(sizeof *lookup->view) : NULL;
    if (lookup->view)
        view_begin(end->server->leases, &name,
                   span_skip(frame->body, CHUNK_FRAME_VIEW_SIZE), lookup->view,
                   on_viewed, lookup, &lookup->lease);
    else
        on_leased(lookup, is_trusted ? -ENOMEM : -EFBIG);
}

static void on_profile(struct profile_waiter *waiter, int rc, struct payload *text)
{
    struct lookup_request *lookup =
        (struct lookup_request *)((char *)waiter -
                                  offsetof(struct lookup_request, profile));
    const struct chunk_frame frame = { .type = CHUNK_FRAME_PROFILED, .id = lookup->id };
    if (rc < 0)
        failure_send(lookup->end, lookup->id, 0, rc);
    else
        frame_send(lookup->end, &frame, text, 0, text->size);
    lookup_free(lookup);
}

/* For a server, as a view is. */
static void profile_request(struct chunk_client_end *end, struct lookup_request *lookup,
                            const struct chunk_frame *frame)
{
    const struct digest name = chunk_frame_digest(frame->body, 0);
    lookup->profile.done = on_profile;
    if (end->client.reader.is_trusted)
        profiles_find(end->server->profiles, &name, &lookup->profile);
    else
        on_leased(lookup, -EFBIG);
}

/* RESOLVE, INDEX; and PERMIT of a client that is no server: for itself, and with the
 * chunks of what it may read. */
static void dataset_request(struct chunk_client_end *end, struct lookup_request *lookup,
                            const struct chunk_frame *frame)
{
    char text[DIGEST_TEXT_SIZE];
    struct span spec = frame->body;
    lookup->waiter.done = on_dataset;
    if (frame->type != CHUNK_FRAME_RESOLVE) {
        struct digest name = chunk_frame_digest(frame->body, 0);
        lookup->offset = chunk_frame_offset(frame->body);
        digest_print(&name, text);
        spec = (struct span){ text, DIGEST_TEXT_SIZE - 1 };
    }
    datasets_find(end->server->datasets, spec, &lookup->waiter);
}

static int lookup_begin(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    struct lookup_request *lookup = NULL;
    int rc = lookup_new(end, frame, &lookup);
    if (rc == -EBUSY)
        failure_send(end, frame->id, 0, rc);
    if (rc < 0)
        return rc == -EBUSY ? 0 : rc;
    if (frame->type == CHUNK_FRAME_LEASE)
        lease_request(end, lookup, frame);
    else if (frame->type == CHUNK_FRAME_VIEW)
        view_request(end, lookup, frame);
    else if (frame->type == CHUNK_FRAME_PROFILE)
        profile_request(end, lookup, frame);
    else if (frame->type == CHUNK_FRAME_PERMIT && end->client.reader.is_trusted)
        permit_request(end, lookup, frame);
    else
        dataset_request(end, lookup, frame);
    return 0;
}

static void on_names(struct dataset_names *names, int rc, struct payload *payload)
{
    struct names_request *request = (struct names_request *)names;
    struct chunk_client_end *end = request->end;
    const struct chunk_frame frame = { .type = CHUNK_FRAME_NAMES, .id = request->id };
    if (end) {
        end->names = NULL;
        if (rc < 0)
            failure_send(end, request->id, 0, rc);
        else
            frame_send(end, &frame, payload, 0, payload->size);
    }
    payload_unref(payload);
    free(request);
}

static int names_begin(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    if (end->names || !end->client.reader.is_trusted) {
        failure_send(end, frame->id, 0, end->names ? -EBUSY : -EFBIG);
        return 0;
    }
    struct names_request *request = calloc(1, sizeof *request);
    if (!request)
        return -ENOMEM;
    request->names.done = on_names;
    request->end = end;
    request->id = frame->id;
    end->names = request;
    datasets_names(end->server->datasets, &request->names);
    return 0;
}

static int stats_send(struct chunk_client_end *end, const struct chunk_frame *request)
{
    const struct chunk_frame frame = { .type = CHUNK_FRAME_TEXT, .id = request->id };
    AUTO(payload_unref)
    struct payload *text = end->server->stats(end->server->arg);
    if (!text)
        return -ENOMEM;
    frame_send(end, &frame, text, 0, text->size);
    return 0;
}

/* ---- requests ---- */

static int greet(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    static const struct chunk_hello welcome = { CHUNK_FRAME_VERSION,
                                                CHUNK_FRAME_BATCH_MAX, REQUESTS_MAX };
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

/* Of zeros, which are no proof, where this server has no key. */
static int identity_send(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    const struct readers *readers = end->client.all->readers;
    const struct chunk_frame identity = { .type = CHUNK_FRAME_IDENTITY,
                                          .id = frame->id };
    if (end->proof != PROOF_NONE)
        return -EBADMSG;
    AUTO(payload_unref)
    struct payload *body = payload_new(CHUNK_FRAME_IDENTITY_SIZE);
    if (!body)
        return -ENOMEM;
    memset(body->data, 0, CHUNK_FRAME_IDENTITY_SIZE);
    memcpy(end->nonces.connects, frame->body.data, READER_NONCE_SIZE);
    int rc = reader_nonce_make(end->nonces.listens);
    if (rc == 0 && readers && readers->key_size)
        rc = reader_proof_make(readers, READER_LISTENS, &end->nonces,
                               body->data + READER_NONCE_SIZE);
    if (rc < 0)
        return rc;
    memcpy(body->data, end->nonces.listens, READER_NONCE_SIZE);
    end->proof = PROOF_WANTED;
    frame_send(end, &identity, body, 0, body->size);
    return 0;
}

/* Once a connection, over random numbers of this one. */
static int proof_check(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    const struct readers *readers = end->client.all->readers;
    bool is_wanted = end->proof == PROOF_WANTED;
    end->proof = PROOF_OVER;
    if (is_wanted && readers &&
        reader_proof_is_right(readers, READER_CONNECTS, &end->nonces,
                              (const uint8_t *)frame->body.data)) {
        end->client.reader.is_trusted = true;
        return 0;
    }
    forwarder_report(end->client.all->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                     "a client is no server of this site: it has another key, or a "
                     "proof of another connection");
    return -EACCES;
}

/* It is that user from now on, unless it is a server already. */
static void on_credential(void *arg, int rc, const struct reader *reader)
{
    struct chunk_client_end *end = arg;
    const struct chunk_frame leased = { .type = CHUNK_FRAME_LEASED,
                                        .id = end->credential_id };
    if (rc < 0) {
        failure_send(end, end->credential_id, 0, rc == -EPERM ? -EACCES : rc);
        return;
    }
    if (!end->client.reader.is_trusted)
        end->client.reader = *reader;
    frame_send(end, &leased, NULL, 0, 0);
}

/* Once a connection: a client that tries has to connect again.  Where it has requested
 * this server's random number, the credential has to have that as its payload. */
static int credential_begin(struct chunk_client_end *end,
                            const struct chunk_frame *frame)
{
    char credential[CREDENTIAL_MAX + 1];
    if (end->has_credential || memchr(frame->body.data, '\0', frame->body.size))
        return -EBADMSG;
    end->has_credential = true;
    if (!end->server->identities->has_munge) {
        failure_send(end, frame->id, 0, -EFBIG);
        return 0;
    }
    memcpy(credential, frame->body.data, frame->body.size);
    credential[frame->body.size] = '\0';
    end->credential_id = frame->id;
    const struct identity_terms terms = {
        .credential = credential,
        .payload = { (const char *)end->nonces.listens,
                     end->proof == PROOF_NONE ? 0 : READER_NONCE_SIZE },
        .uid = READER_UNKNOWN
    };
    identity_begin(end->server->identities, &terms, on_credential, end, &end->identity);
    OPENSSL_cleanse(credential, sizeof credential);
    OPENSSL_cleanse((char *)(uintptr_t)frame->body.data, frame->body.size);
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
        return lookup_begin(end, frame);
    case CHUNK_FRAME_LIST:
        return names_begin(end, frame);
    case CHUNK_FRAME_CHALLENGE:
        return identity_send(end, frame);
    case CHUNK_FRAME_PROOF:
        return proof_check(end, frame);
    case CHUNK_FRAME_CREDENTIAL:
        return credential_begin(end, frame);
    case CHUNK_FRAME_STATS:
        return stats_send(end, frame);
    case CHUNK_FRAME_PING:
        frame_send(end, &pong, NULL, 0, 0);
        return 0;
    default:
        return -EBADMSG;
    }
}

/* ---- a client ---- */

static void end_leave(struct chunk_client_end *end)
{
    for (uint32_t i = 0; i < REQUESTS_MAX; i++)
        flights_leave(&end->requests[i].waiter);
    channel_unreserve(&end->client.channel, end->client.channel.reserved_bytes);
    while (end->lookups) {
        struct lookup_request *lookup = end->lookups;
        datasets_leave(&lookup->waiter);
        profiles_leave(&lookup->profile);
        lease_leave(&lookup->lease);
        dataset_unref(end->server->datasets, lookup->dataset);
        lookup_free(lookup);
    }
    identity_leave(&end->identity);
    while (end->granted_count)
        dataset_unref(end->server->datasets, end->granted[--end->granted_count]);
    if (end->names) {
        end->names->end = NULL;
        if (datasets_names_leave(&end->names->names))
            free(end->names);
        end->names = NULL;
    }
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
    for (uint32_t i = 0; i < REQUESTS_MAX; i++) {
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
