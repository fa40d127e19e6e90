/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_target - a server that a dataset of a repository is pushed to. */
#include "dataset/forwarder/chunk/chunk_target.h"

#include "base/clock.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/forwarder/chunk/chunk_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PATIENCE_NS (60 * NS_PER_S) /* without any progress */
/* For a server that admits what it was sent, and does not know that its client has
 * lost the connection. */
#define CUT_PATIENCE_NS (6 * 3600 * NS_PER_S)
#define PAUSE_NS (100 * NS_PER_MS)
#define PAUSE_DOUBLINGS_MAX 4U

struct target {
    struct repository *r;
    const struct chunk_target_opts *opts;
    struct credential_opts munge;
    struct chunk_call call;
    struct dataset_index index;
    struct strbuf encoded, facts;
    uint8_t *stored; /* CHUNK_SIZE_MAX bytes */
    uint8_t *missing;
    size_t missing_size;
    uint64_t in_flight;
    uint64_t done_bytes; /* of the image, that the server has */
    struct {
        uint64_t id;
        uint32_t number, stored;
    } puts[CHUNK_FRAME_PUTS_MAX];
    bool is_final;             /* what failed is here: it fails again */
    bool is_anew;              /* the server had damage, and has begun anew */
    bool has_begun;            /* it was connected to */
    bool is_cut;               /* the connection ended while the server admitted */
    uint64_t committed_chunks; /* that were sent before the last COMMIT; UINT64_MAX */
    int64_t moved_ns;
    struct chunk_target_sent sent;
};

static void target_done(struct target *target)
{
    chunk_call_done(&target->call);
    dataset_index_done(&target->index);
    strbuf_done(&target->encoded);
    strbuf_done(&target->facts);
    free(target->stored);
    free(target->missing);
}
DEFINE_AUTO_DONE(struct target, target_done);

static void target_moved(struct target *target)
{
    target->moved_ns = clock_steady_ns();
    if (target->opts->progress)
        target->opts->progress(target->opts->progress_arg, target->done_bytes,
                               target->index.image_bytes);
}

/* ---- the index ---- */

static int missing_set(struct target *target, struct span bits, struct err *err)
{
    if (bits.size != (target->index.count + 7) / 8)
        return err_set(err, EBADMSG, "'%s' does not state what is missing",
                       target->call.address);
    free(target->missing);
    target->missing = malloc(bits.size + 1);
    if (!target->missing)
        return -ENOMEM;
    memcpy(target->missing, bits.data, bits.size);
    target->missing_size = bits.size;
    return 0;
}

static bool is_missing(const struct target *target, size_t number)
{
    return target->missing[number / 8] >> number % 8 & 1;
}

/* The first request has nothing of it: the server states how much it has. */
static int index_part_send(struct target *target, uint64_t offset, size_t size,
                           uint64_t *ret_there, struct err *err)
{
    struct chunk_push_head head = { .name = target->index.image,
                                    .image_bytes = target->index.image_bytes,
                                    .index_bytes = target->encoded.size,
                                    .offset = offset };
    uint8_t bytes[CHUNK_FRAME_PUSH_SIZE];
    struct chunk_frame frame = { 0 };
    chunk_push_head_encode(&head, bytes);
    int rc =
        chunk_call_write(&target->call, CHUNK_FRAME_PUSH,
                         (struct span){ (const char *)bytes, sizeof bytes },
                         (struct span){ target->encoded.data + offset, size }, err);
    if (rc == 0)
        rc = chunk_call_wait(&target->call, CHUNK_FRAME_PUSHED, &frame, err);
    if (rc < 0)
        return rc;
    *ret_there = chunk_frame_total(frame.body);
    if (*ret_there > target->encoded.size || *ret_there < offset + size)
        return err_set(err, EBADMSG, "'%s' has not the index that it was sent",
                       target->call.address);
    return *ret_there == target->encoded.size
               ? missing_set(target, span_skip(frame.body, 8), err)
               : 0;
}

static int index_send(struct target *target, struct err *err)
{
    uint64_t there = 0;
    int rc = index_part_send(target, 0, 0, &there, err);
    while (rc == 0 && there < target->encoded.size) {
        uint64_t rest = target->encoded.size - there;
        size_t size =
            rest < CHUNK_FRAME_PUSH_PART_MAX ? (size_t)rest : CHUNK_FRAME_PUSH_PART_MAX;
        target->moved_ns = clock_steady_ns();
        rc = index_part_send(target, there, size, &there, err);
    }
    return rc;
}

/* ---- chunks ---- */

static int put_acknowledged(struct target *target, struct err *err)
{
    struct chunk_frame frame = { 0 };
    int rc = chunk_call_read(&target->call, CHUNK_FRAME_LEASED, 0, &frame, err);
    size_t i = 0;
    if (rc < 0)
        return rc;
    while (i < target->in_flight && target->puts[i].id != frame.id)
        i++;
    if (i == target->in_flight)
        return err_set(err, EBADMSG, "'%s' responded to what was not requested",
                       target->call.address);
    target->sent.sent_chunks++;
    target->sent.sent_bytes += target->puts[i].stored;
    target->done_bytes += target->index.chunks[target->puts[i].number].size;
    target->puts[i] = target->puts[--target->in_flight];
    target_moved(target);
    return 0;
}

static int put_send(struct target *target, uint32_t number, struct err *err)
{
    const struct index_chunk *chunk = &target->index.chunks[number];
    uint32_t stored = 0, plain = 0;
    uint8_t head[CHUNK_FRAME_PUT_SIZE];
    int rc = repository_chunk(target->r, &chunk->digest, target->stored, &stored,
                              &plain, err);
    if (rc < 0) {
        target->is_final = true;
        return rc;
    }
    bytes_put_u32(head, number);
    bytes_put_u32(head + 4, plain);
    rc = chunk_call_write(&target->call, CHUNK_FRAME_PUT,
                          (struct span){ (const char *)head, sizeof head },
                          (struct span){ (const char *)target->stored, stored }, err);
    if (rc < 0)
        return rc;
    target->puts[target->in_flight].id = target->call.id;
    target->puts[target->in_flight].number = number;
    target->puts[target->in_flight++].stored = stored;
    return 0;
}

static int chunks_send(struct target *target, struct err *err)
{
    int rc = 0;
    target->in_flight = target->done_bytes = 0;
    for (size_t i = 0; i < target->index.count; i++)
        if (!is_missing(target, i))
            target->done_bytes += target->index.chunks[i].size;
    for (uint32_t i = 0; rc == 0 && i < target->index.count; i++) {
        if (!is_missing(target, i))
            continue;
        if (target->in_flight == CHUNK_FRAME_PUTS_MAX)
            rc = put_acknowledged(target, err);
        if (rc == 0)
            rc = put_send(target, i, err);
    }
    while (rc == 0 && target->in_flight)
        rc = put_acknowledged(target, err);
    return rc;
}

/* ---- the whole ---- */

/* A COMMIT is progress where something was sent since the last one. */
static void commit_note(struct target *target)
{
    if (target->sent.sent_chunks != target->committed_chunks)
        target->moved_ns = clock_steady_ns();
    target->committed_chunks = target->sent.sent_chunks;
}

static bool is_of_connection(int rc)
{
    return rc == -ECONNRESET || rc == -ECONNABORTED || rc == -EPIPE ||
           rc == -ETIMEDOUT || rc == -EHOSTUNREACH || rc == -ENETUNREACH;
}

/* Damage of the server's disk is sent again, once. */
static int commit_send(struct target *target, struct err *err)
{
    struct chunk_frame frame = { 0 };
    int rc = chunk_call_write(&target->call, CHUNK_FRAME_COMMIT, SPAN(""),
                              strbuf_span(&target->facts), err);
    commit_note(target);
    if (rc == 0)
        rc = chunk_call_wait(&target->call, CHUNK_FRAME_COMMITTED, &frame, err);
    target->is_cut = is_of_connection(rc);
    if (rc == -EUCLEAN && !target->is_anew) {
        target->is_anew = true;
        return -EAGAIN;
    }
    if (rc < 0)
        return rc;
    target->sent.was_there = chunk_frame_u32(frame.body) & CHUNK_COMMITTED_BEFORE;
    target->sent.owner = chunk_frame_second(frame.body);
    return 0;
}

static int target_send(struct target *target, struct err *err)
{
    int rc = index_send(target, err);
    if (rc < 0)
        return rc;
    target->is_cut = false; /* the server has ended with what it had */
    rc = chunks_send(target, err);
    return rc < 0 ? rc : commit_send(target, err);
}

static int target_try(struct target *target, struct err *err)
{
    chunk_call_done(&target->call);
    int rc = chunk_call_open(&target->call, target->opts->to, &target->munge, err);
    if (rc < 0)
        return rc;
    target->has_begun = true;
    target->sent.connections++;
    rc = target_send(target, err);
    if (target->call.pong_ns > target->moved_ns)
        target->moved_ns = target->call.pong_ns;
    return rc;
}

/* A server that is started again, a network that is cut, another push of it. */
static bool may_pass(const struct target *target, int rc)
{
    static const int errnums[] = { ECONNRESET, ECONNREFUSED, ECONNABORTED, EPIPE,
                                   ENOENT,     ETIMEDOUT,    EHOSTUNREACH, ENETUNREACH,
                                   EAGAIN,     EBUSY };
    for (size_t i = 0; i < COUNT_OF(errnums); i++)
        if (rc == -errnums[i])
            return target->has_begun && !target->is_final &&
                   clock_steady_ns() - target->moved_ns <
                       (target->is_cut && rc == -EBUSY ? CUT_PATIENCE_NS : PATIENCE_NS);
    return false;
}

static void target_pause(unsigned tries)
{
    int64_t pause_ns = PAUSE_NS
                       << (tries < PAUSE_DOUBLINGS_MAX ? tries : PAUSE_DOUBLINGS_MAX);
    const struct timespec pause = { pause_ns / NS_PER_S, pause_ns % NS_PER_S };
    (void)nanosleep(&pause, NULL);
}

static int target_begin(struct target *target, const char *spec, struct err *err)
{
    struct digest name;
    target->stored = malloc(CHUNK_SIZE_MAX);
    int rc = target->stored
                 ? credential_opts_parse(target->opts->munge, &target->munge, err)
                 : -ENOMEM;
    if (rc == 0)
        rc = repository_resolve(target->r, spec, &name, err);
    if (rc == 0)
        rc = repository_index(target->r, &name, &target->index, err);
    if (rc == 0)
        rc = dataset_index_encode(&target->index, &target->encoded);
    if (rc == 0)
        rc = push_facts_of(target->r, &name, &target->opts->facts, &target->facts, err);
    if (rc < 0)
        return rc;
    target->sent.name = name;
    target->sent.image_bytes = target->index.image_bytes;
    target->sent.chunk_count = target->index.count;
    target->moved_ns = clock_steady_ns();
    return 0;
}

int chunk_target_push(struct repository *r, const char *spec,
                      const struct chunk_target_opts *opts,
                      struct chunk_target_sent *ret, struct err *err)
{
    struct chunk_target_opts local = *opts;
    AUTO(target_done)
    struct target target = { .r = r,
                             .opts = &local,
                             .call = { .fd = -1 },
                             .committed_chunks = UINT64_MAX,
                             .encoded = STRBUF_INIT,
                             .facts = STRBUF_INIT };
    if (!local.to)
        local.to = getenv("BARO_DATASET_SERVER");
    if (!local.to || !*local.to)
        return err_set(
            err, EINVAL,
            "push where? name a server (--to HOST:PORT or unix:PATH), or set "
            "BARO_DATASET_SERVER");
    int rc = target_begin(&target, spec, err);
    if (rc < 0)
        return rc;
    int64_t moved_ns = target.moved_ns;
    unsigned tries = 0;
    while ((rc = target_try(&target, err)) < 0 && may_pass(&target, rc)) {
        tries = target.moved_ns == moved_ns ? tries + 1 : 0;
        moved_ns = target.moved_ns;
        target_pause(tries);
    }
    if (rc == 0)
        *ret = target.sent;
    return rc;
}

/* ---- results ---- */

int chunk_target_table(const struct chunk_target_sent *sent, struct table *out)
{
    char name[DIGEST_TEXT_SIZE];
    const struct {
        const char *column, *unit;
        uint64_t value;
    } numbers[] = {
        { "bytes", "bytes", sent->image_bytes },
        { "chunks", "", sent->chunk_count },
        { "sent_chunks", "", sent->sent_chunks },
        { "sent_bytes", "bytes", sent->sent_bytes },
        { "saved_chunks", "",
          sent->chunk_count > sent->sent_chunks ? sent->chunk_count - sent->sent_chunks
                                                : 0 },
        { "connections", "", sent->connections },
        { "owner", "", sent->owner },
        { "was_there", "", sent->was_there },
    };
    table_add_column(out, "dataset", TABLE_TEXT, "");
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        table_add_column(out, numbers[i].column, TABLE_U64, numbers[i].unit);
    table_add_row(out);
    digest_print(&sent->name, name);
    table_set_text(out, 0, span_of(name));
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        table_set_u64(out, i + 1, numbers[i].value);
    return table_error(out);
}

void chunk_target_text(const struct chunk_target_sent *sent, char *out, size_t size)
{
    char bytes[FIGURE_SIZE], sent_bytes[FIGURE_SIZE];
    figure_print_bytes(bytes, sizeof bytes, (double)sent->image_bytes);
    figure_print_bytes(sent_bytes, sizeof sent_bytes, (double)sent->sent_bytes);
    (void)snprintf(out, size,
                   "%s: %" PRIu64 " chunks, %" PRIu64 " sent (%s compressed); of user "
                   "%u%s",
                   bytes, sent->chunk_count, sent->sent_chunks, sent_bytes, sent->owner,
                   sent->was_there ? "; it was there already" : "");
}
