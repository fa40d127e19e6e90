/* SPDX-License-Identifier: Apache-2.0 */
/* prefetch - chunks that a reader of a dataset will want next, before it wants them. */
#include "dataset/forwarder/ahead/prefetch.h"

#include "base/hashmap.h"
#include "base/number.h"
#include "dataset/forwarder/ahead/read_streams.h"

#include <inttypes.h>

#define TURN_CHUNKS 4096U /* that are looked up in a turn of the loop */

/* A chunk that was requested ahead, until it is read or given up. */
struct ahead {
    struct flight_waiter waiter; /* first */
    struct prefetch_reader *reader;
    struct digest digest;
    uint32_t size;
    bool is_in_flight, is_read, is_first, is_profiled;
    struct ahead *previous, *next; /* of all, the oldest first */
};

struct prefetch_reader {
    struct prefetch *all;
    struct dataset *dataset;
    struct read_streams streams;
    size_t metadata_next, metadata_end; /* chunks */
    struct profile_waiter profile_waiter;
    struct start_profile profile;
    uint32_t profile_next;
    uint64_t profile_unread; /* bytes */
    struct prefetch_reader *previous, *next;
};

struct prefetch {
    struct prefetch_opts opts;
    struct prefetch_counts counts;
    struct hashmap by_digest; /* of ahead */
    struct ahead *oldest, *newest;
    uint64_t in_flight, in_flight_bytes, unread_bytes;
    struct prefetch_reader *readers;
    unsigned turn; /* chunks that were looked up in it */
};

int prefetch_mode_parse(const char *text, enum prefetch_mode *ret)
{
    static const char *const names[] = { "no", "sequential", "yes" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(text, names[i]) == 0) {
            *ret = (enum prefetch_mode)i;
            return 0;
        }
    return -EINVAL;
}

int prefetch_new(const struct prefetch_opts *opts, struct prefetch **ret)
{
    struct prefetch *all = calloc(1, sizeof *all);
    if (!all)
        return -ENOMEM;
    all->opts = *opts;
    *ret = all;
    return 0;
}

void prefetch_free(struct prefetch *all)
{
    if (!all)
        return;
    while (all->readers)
        prefetch_close(all->readers);
    hashmap_done(&all->by_digest);
    free(all);
}

const struct prefetch_counts *prefetch_counts(const struct prefetch *all)
{
    return &all->counts;
}

/* ---- chunks that are ahead ---- */

static struct span ahead_key(const struct digest *digest)
{
    return (struct span){ (const char *)digest->bytes, DIGEST_SIZE };
}

static struct ahead *ahead_find(const struct prefetch *all, const struct digest *digest)
{
    uintptr_t *value = hashmap_get(&all->by_digest, ahead_key(digest));
    return value ? (struct ahead *)*value
                 : NULL; /* NOLINT(performance-no-int-to-ptr) */
}

static void ahead_free(struct ahead *ahead)
{
    struct prefetch *all = ahead->reader->all;
    flights_leave(&ahead->waiter);
    if (ahead->is_in_flight) {
        all->in_flight--;
        all->in_flight_bytes -= ahead->size;
    }
    if (!ahead->is_read) {
        all->unread_bytes -= ahead->size;
        ahead->reader->profile_unread -= ahead->is_profiled ? ahead->size : 0;
    }
    (void)hashmap_remove(&all->by_digest, ahead_key(&ahead->digest));
    *(ahead->previous ? &ahead->previous->next : &all->oldest) = ahead->next;
    *(ahead->next ? &ahead->next->previous : &all->newest) = ahead->previous;
    free(ahead);
}

/* A reader wanted it. */
static void ahead_read(struct ahead *ahead)
{
    struct prefetch *all = ahead->reader->all;
    if (ahead->is_read)
        return;
    all->counts.used++;
    all->unread_bytes -= ahead->size;
    ahead->reader->profile_unread -= ahead->is_profiled ? ahead->size : 0;
    ahead->is_read = true;
    if (!ahead->is_in_flight)
        ahead_free(ahead);
}

static void ahead_waste(struct ahead *ahead)
{
    ahead->reader->all->counts.wasted += !ahead->is_read;
    ahead_free(ahead);
}

/* The image's superblock states how far its metadata reaches. */
static void metadata_extend(struct prefetch_reader *reader,
                            const struct payload *payload)
{
    const struct dataset_index *index = &reader->dataset->index;
    uint64_t bytes = image_metadata_bytes(payload->data, payload->size);
    size_t end = bytes ? dataset_index_find(index, bytes - 1) + 1 : 0;
    reader->metadata_end = end < index->count ? end : index->count;
}

static void on_ahead(struct flight_waiter *waiter, int rc, struct payload *payload)
{
    struct ahead *ahead = (struct ahead *)waiter;
    struct prefetch *all = ahead->reader->all;
    ahead->is_in_flight = false;
    all->in_flight--;
    all->in_flight_bytes -= ahead->size;
    all->counts.failed += rc < 0;
    if (rc == 0 && ahead->is_first)
        metadata_extend(ahead->reader, payload);
    if (rc < 0 || ahead->is_read)
        ahead_free(ahead);
}

static struct ahead *ahead_new(struct prefetch_reader *reader,
                               const struct index_chunk *chunk)
{
    struct prefetch *all = reader->all;
    struct ahead *ahead = calloc(1, sizeof *ahead);
    uintptr_t *value =
        ahead ? hashmap_put(&all->by_digest, ahead_key(&chunk->digest), NULL) : NULL;
    if (!value) {
        free(ahead);
        return NULL;
    }
    *value = (uintptr_t)ahead;
    ahead->reader = reader;
    ahead->digest = chunk->digest;
    ahead->size = chunk->size;
    ahead->waiter.done = on_ahead;
    ahead->waiter.form = FORM_PLAIN;
    ahead->waiter.is_impatient = true; /* it is not worth another attempt */
    ahead->waiter.has_dataset = true;
    ahead->waiter.dataset = reader->dataset->name;
    ahead->previous = all->newest;
    *(all->newest ? &all->newest->next : &all->oldest) = ahead;
    all->newest = ahead;
    return ahead;
}

/* What nothing has read for longest is given up where there is too much of it. */
static void unread_shrink(struct prefetch *all)
{
    uint64_t most = all->opts.memory_bytes / PREFETCH_UNREAD_SHARE;
    struct ahead *next;
    for (struct ahead *a = all->oldest; a && all->unread_bytes > most; a = next) {
        next = a->next;
        if (!a->is_in_flight)
            ahead_waste(a);
    }
}

static void ahead_start(struct prefetch_reader *reader, size_t number, bool is_profiled)
{
    struct prefetch *all = reader->all;
    const struct index_chunk *chunk = &reader->dataset->index.chunks[number];
    const struct payload *there = cache_memory_peek(all->opts.memory, &chunk->digest);
    all->turn++;
    if (there && number == 0 && payload_is_plain(there) && there->is_verified)
        metadata_extend(reader, there);
    if (there || ahead_find(all, &chunk->digest))
        return;
    struct ahead *ahead = ahead_new(reader, chunk);
    if (!ahead)
        return;
    ahead->is_in_flight = true;
    ahead->is_first = number == 0;
    ahead->is_profiled = is_profiled;
    reader->profile_unread += is_profiled ? chunk->size : 0;
    all->in_flight++;
    all->in_flight_bytes += chunk->size;
    all->unread_bytes += chunk->size;
    all->counts.chunks++;
    all->counts.bytes += chunk->size;
    struct payload *payload =
        flights_get(all->opts.flights, &chunk->digest, &ahead->waiter);
    if (payload)
        on_ahead(&ahead->waiter, 0, payload);
    unread_shrink(all);
}

/* ---- what is next ---- */

/* Others wait for chunks that are not ahead: these go first. */
static bool has_capacity(const struct prefetch *all)
{
    bool is_busy = flights_count(all->opts.flights) > all->in_flight;
    return all->turn < TURN_CHUNKS &&
           all->in_flight_bytes <
               (is_busy ? PREFETCH_IN_FLIGHT_BUSY : PREFETCH_IN_FLIGHT_MAX);
}

static void streams_pump(struct prefetch_reader *reader)
{
    size_t number;
    while (has_capacity(reader->all) && read_streams_next(&reader->streams, &number))
        ahead_start(reader, number, false);
}

static void metadata_pump(struct prefetch_reader *reader)
{
    while (has_capacity(reader->all) && reader->metadata_next < reader->metadata_end)
        ahead_start(reader, reader->metadata_next++, false);
}

static bool profile_may_go_on(const struct prefetch_reader *reader)
{
    return reader->profile_next < reader->profile.count &&
           reader->profile_unread <
               reader->all->opts.memory_bytes / PREFETCH_PROFILE_SHARE;
}

static void profile_pump(struct prefetch_reader *reader)
{
    while (has_capacity(reader->all) && profile_may_go_on(reader))
        ahead_start(reader, reader->profile.chunks[reader->profile_next++], true);
}

void prefetch_pump(struct prefetch *all)
{
    static void (*const pumps[])(
        struct prefetch_reader *) = { streams_pump, metadata_pump, profile_pump };
    all->turn = 0;
    for (size_t i = 0; i < COUNT_OF(pumps); i++)
        for (struct prefetch_reader *r = all->readers; r; r = r->next)
            pumps[i](r);
}

bool prefetch_is_idle(const struct prefetch *all)
{
    return all->in_flight == 0 && all->turn < TURN_CHUNKS;
}

/* ---- readers ---- */

static void on_profile(struct profile_waiter *waiter, int rc, struct payload *text)
{
    struct prefetch_reader *reader =
        (struct prefetch_reader *)((char *)waiter -
                                   offsetof(struct prefetch_reader, profile_waiter));
    struct prefetch *all = reader->all;
    struct err err = { 0 };
    if (rc < 0)
        forwarder_report(all->opts.report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE,
                         "dataset %s: its profile is not to be had (%s), its start "
                         "reads without one",
                         reader->dataset->text, strerror(-rc));
    if (rc < 0 || text->size == 0)
        return;
    struct span bytes = { (const char *)text->data, text->size };
    rc = start_profile_parse(bytes, &reader->dataset->index, &reader->profile, &err);
    all->counts.profiles += rc == 0;
    all->counts.profiles_refused += rc < 0;
    if (rc < 0)
        forwarder_report(all->opts.report, LOG_LEVEL_WARN, FORWARDER_CORRUPT,
                         "dataset %s: its profile is not used, its start reads "
                         "without one: %s",
                         reader->dataset->text, err.text[0] ? err.text : strerror(-rc));
}

int prefetch_open(struct prefetch *all, struct dataset *dataset, bool is_mount,
                  struct prefetch_reader **ret)
{
    struct prefetch_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return -ENOMEM;
    reader->all = all;
    reader->dataset = dataset;
    dataset->refs++;
    reader->streams.chunk_count = dataset->index.count;
    reader->next = all->readers;
    if (all->readers)
        all->readers->previous = reader;
    all->readers = reader;
    *ret = reader;
    if (!is_mount || all->opts.mode != PREFETCH_YES || dataset->index.count == 0)
        return 0;
    reader->metadata_end = 1;
    reader->profile_waiter.done = on_profile;
    profiles_find(all->opts.profiles, &dataset->name, &reader->profile_waiter);
    return 0;
}

void prefetch_close(struct prefetch_reader *reader)
{
    if (!reader)
        return;
    struct prefetch *all = reader->all;
    struct ahead *next;
    for (struct ahead *a = all->oldest; a; a = next) {
        next = a->next;
        if (a->reader == reader)
            ahead_waste(a);
    }
    profiles_leave(&reader->profile_waiter);
    start_profile_done(&reader->profile);
    *(reader->previous ? &reader->previous->next : &all->readers) = reader->next;
    if (reader->next)
        reader->next->previous = reader->previous;
    dataset_unref(all->opts.datasets, reader->dataset);
    free(reader);
}

static void chunk_read(struct prefetch *all, const struct digest *digest)
{
    struct ahead *ahead = ahead_find(all, digest);
    bool is_there = cache_memory_peek(all->opts.memory, digest) != NULL;
    all->counts.reads++;
    if (ahead && (ahead->is_in_flight || is_there)) {
        ahead_read(ahead);
        return;
    }
    if (ahead)
        ahead_waste(ahead); /* it came, and memory has it no longer */
    all->counts.misses += !is_there;
}

void prefetch_read(struct prefetch_reader *reader, size_t first, size_t count)
{
    if (!reader || count == 0)
        return;
    for (size_t i = first; i < first + count; i++)
        chunk_read(reader->all, &reader->dataset->index.chunks[i].digest);
    if (reader->all->opts.mode != PREFETCH_NO)
        read_streams_note(&reader->streams, first, count);
}
