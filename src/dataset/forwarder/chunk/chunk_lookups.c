/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_lookups - what a client of the chunk door requests that is no chunk: names,
 * indexes, leases, views, profiles; and which datasets it may read. */
#include "dataset/forwarder/chunk/chunk_lookups.h"

#include "base/span.h"

#define PART_MAX (CHUNK_FRAME_BODY_MAX - 8U)

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

/* The one that was used last is the first: where there are too many the last goes. */
void chunk_granted_used(struct chunk_client_end *end, unsigned number)
{
    struct dataset *used = end->granted[number];
    for (; number > 0; number--)
        end->granted[number] = end->granted[number - 1];
    end->granted[0] = used;
}

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
        chunk_end_fail(lookup->end, lookup->id, 0, -EINVAL);
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
    chunk_end_send(lookup->end, &leased, NULL, 0, 0);
}

static void lookup_end(struct lookup_request *lookup, int rc, struct dataset *dataset)
{
    if (rc < 0)
        chunk_end_fail(lookup->end, lookup->id, 0, rc);
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
    chunk_granted_used(end, i);
}

static void on_permitted(void *arg, int rc)
{
    struct lookup_request *lookup = arg;
    struct dataset *dataset = TAKE(lookup->dataset);
    if (rc == -EACCES)
        client_denied(&lookup->end->client, &lookup->end->client.reader, dataset->text);
    if (rc == 0)
        grant(lookup->end, dataset);
    lookup_end(lookup, rc == -EACCES ? -ENOENT : rc, dataset);
}

/* Who may not read it does not find out whether it is there: one response for what is
 * not there, is not to be read, or cannot be served. */
static bool is_of_the_dataset(int rc)
{
    return rc == -EUCLEAN || rc == -EFBIG;
}

static void on_dataset(struct dataset_waiter *waiter, int rc, struct dataset *dataset)
{
    struct lookup_request *lookup = (struct lookup_request *)waiter;
    struct chunk_client_end *end = lookup->end;
    if (rc < 0 || end->client.reader.is_trusted) {
        if (!end->client.reader.is_trusted && is_of_the_dataset(rc))
            rc = -ENOENT;
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
        chunk_end_fail(lookup->end, lookup->id, 0, rc);
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
        chunk_end_send(lookup->end, &frame, body, 0, body->size);
    } else {
        chunk_end_fail(lookup->end, lookup->id, 0, rc < 0 ? rc : -ENOMEM);
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
        chunk_end_fail(lookup->end, lookup->id, 0, rc);
    else
        chunk_end_send(lookup->end, &frame, text, 0, text->size);
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

int chunk_lookup_begin(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    struct lookup_request *lookup = NULL;
    int rc = lookup_new(end, frame, &lookup);
    if (rc == -EBUSY)
        chunk_end_fail(end, frame->id, 0, rc);
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
            chunk_end_fail(end, request->id, 0, rc);
        else
            chunk_end_send(end, &frame, payload, 0, payload->size);
    }
    payload_unref(payload);
    free(request);
}

int chunk_names_begin(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    if (end->names || !end->client.reader.is_trusted) {
        chunk_end_fail(end, frame->id, 0, end->names ? -EBUSY : -EFBIG);
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

void chunk_lookups_leave(struct chunk_client_end *end)
{
    while (end->lookups) {
        struct lookup_request *lookup = end->lookups;
        datasets_leave(&lookup->waiter);
        profiles_leave(&lookup->profile);
        lease_leave(&lookup->lease);
        dataset_unref(end->server->datasets, lookup->dataset);
        lookup_free(lookup);
    }
    while (end->granted_count)
        dataset_unref(end->server->datasets, end->granted[--end->granted_count]);
    if (end->names) {
        end->names->end = NULL;
        if (datasets_names_leave(&end->names->names))
            free(end->names);
        end->names = NULL;
    }
}
