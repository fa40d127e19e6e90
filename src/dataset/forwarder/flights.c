/* SPDX-License-Identifier: Apache-2.0 */
/* flights - chunks on their way: one fetch a chunk, however many wait for it. */
#include "dataset/forwarder/flights.h"

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/number.h"

#define DISK_PAUSE_NS (60 * NS_PER_S)

enum flight_source {
    SOURCE_MEMORY,
    SOURCE_DISK,
    SOURCE_REPOSITORY,
    SOURCE_UPSTREAM,
};

struct flight {
    struct work work; /* first: a work is its flight */
    struct fetch fetch;
    struct flights *all;
    struct flight *previous, *next;
    struct digest digest;
    struct flight_waiter *first, *last;
    enum flight_source source;
    bool is_working, is_fetching;
    /* The worker's, while it works: */
    bool wants_plain, is_verified;
    struct payload *stored, *plain;
    struct disk_position read, write;
    int rc, write_rc;
    struct err err;
};

struct flights {
    struct flights_opts opts;
    struct hashmap by_digest;
    struct flight *first;
    struct flight_counts counts;
    int64_t disk_resumes_ns; /* after a failed write */
};

static struct span digest_span(const struct digest *digest)
{
    return (struct span){ (const char *)digest->bytes, DIGEST_SIZE };
}

int flights_new(const struct flights_opts *opts, struct flights **ret)
{
    struct flights *all = calloc(1, sizeof *all);
    if (!all)
        return -ENOMEM;
    all->opts = *opts;
    *ret = all;
    return 0;
}

static void flight_free(struct flight *flight)
{
    payload_unref(flight->stored);
    payload_unref(flight->plain);
    cache_disk_release(&flight->read);
    cache_disk_release(&flight->write);
    free(flight);
}

void flights_free(struct flights *all)
{
    if (!all)
        return;
    while (all->first) {
        struct flight *flight = all->first;
        all->first = flight->next;
        flight_free(flight);
    }
    hashmap_done(&all->by_digest);
    free(all);
}

const struct flight_counts *flights_counts(const struct flights *all)
{
    return &all->counts;
}

size_t flights_count(const struct flights *all)
{
    return all->by_digest.count;
}

/* ---- waiters ---- */

static void waiter_join(struct flight *flight, struct flight_waiter *waiter)
{
    waiter->flight = flight;
    waiter->since_ns = clock_steady_ns();
    waiter->previous = flight->last;
    waiter->next = NULL;
    *(flight->last ? &flight->last->next : &flight->first) = waiter;
    flight->last = waiter;
}

void flights_leave(struct flight_waiter *waiter)
{
    struct flight *flight = waiter->flight;
    if (!flight)
        return;
    *(waiter->previous ? &waiter->previous->next : &flight->first) = waiter->next;
    *(waiter->next ? &waiter->next->previous : &flight->last) = waiter->previous;
    waiter->flight = NULL;
}

bool flights_have(struct flights *all, const struct digest *digest)
{
    return cache_memory_get(all->opts.memory, digest) != NULL;
}

static bool wants_plain(const struct flight *flight)
{
    for (const struct flight_waiter *w = flight->first; w; w = w->next)
        if (w->form == FORM_PLAIN)
            return true;
    return false;
}

static void flight_forget(struct flight *flight)
{
    struct flights *all = flight->all;
    (void)hashmap_remove(&all->by_digest, digest_span(&flight->digest));
    *(flight->previous ? &flight->previous->next : &all->first) = flight->next;
    if (flight->next)
        flight->next->previous = flight->previous;
}

/* Forgotten first: who is woken may want the same chunk anew. */
static void flight_end(struct flight *flight, int rc, struct payload *payload)
{
    flight_forget(flight);
    while (flight->first) {
        struct flight_waiter *waiter = flight->first;
        flights_leave(waiter);
        waiter->done(waiter, rc, payload);
    }
    flight_free(flight);
}

/* ---- a worker's part ---- */

static int repository_load(struct flight *flight, struct worker *worker)
{
    uint32_t stored = 0, plain = 0;
    int rc = repository_chunk(worker->repository, &flight->digest, worker->scratch,
                              &stored, &plain, &flight->err);
    flight->stored = rc == 0 ? payload_new(stored) : NULL;
    if (rc < 0 || !flight->stored)
        return rc < 0 ? rc : -ENOMEM;
    memcpy(flight->stored->data, worker->scratch, stored);
    flight->stored->plain_size = plain;
    return 0;
}

static int disk_load(struct flight *flight)
{
    flight->stored = payload_new(flight->read.stored);
    if (!flight->stored)
        return -ENOMEM;
    flight->stored->plain_size = flight->read.plain;
    return cache_disk_read(&flight->read, flight->stored->data);
}

/* Into memory of its own where a client wants it plain, else only to be verified. */
static int stored_expand(struct flight *flight, struct worker *worker)
{
    struct payload *stored = flight->stored;
    uint8_t *plain = stored->data;
    int rc = 0;
    if (!payload_is_plain(stored)) {
        flight->plain = flight->wants_plain ? payload_new(stored->plain_size) : NULL;
        if (flight->wants_plain && !flight->plain)
            return -ENOMEM;
        plain = flight->plain ? flight->plain->data : worker->scratch;
        rc = worker_expand(worker, stored->data, stored->size, plain,
                           stored->plain_size);
    }
    if (rc == 0 && !flight->is_verified)
        rc = worker_verify(plain, stored->plain_size, &flight->digest);
    flight->is_verified |= rc == 0;
    return rc;
}

static void flight_run(struct work *work, struct worker *worker)
{
    struct flight *flight = (struct flight *)work;
    int rc = 0;
    if (flight->source == SOURCE_DISK)
        rc = disk_load(flight);
    if (flight->source == SOURCE_REPOSITORY)
        rc = repository_load(flight, worker);
    /* What the repository gives is verified where it is received. */
    if (rc == 0 && (flight->wants_plain || flight->source != SOURCE_REPOSITORY))
        rc = stored_expand(flight, worker);
    if (rc == 0 && flight->write.segment)
        flight->write_rc = cache_disk_write(&flight->write, flight->stored->data);
    flight->rc = rc;
}

/* ---- steps ---- */

static void on_worked(struct work *work);

static void flight_work(struct flight *flight, enum flight_source source)
{
    flight->source = source;
    flight->wants_plain = wants_plain(flight);
    flight->is_verified = flight->stored && flight->stored->is_verified;
    flight->is_working = true;
    flight->work.run = flight_run;
    flight->work.done = on_worked;
    flight->err.text[0] = '\0';
    work_submit(flight->all->opts.pool, &flight->work);
}

static void disk_failed(struct flights *all, int rc)
{
    all->counts.disk_write_failures++;
    all->disk_resumes_ns = clock_steady_ns() + DISK_PAUSE_NS;
    forwarder_report(all->opts.report, LOG_LEVEL_WARN, FORWARDER_DISK,
                     "the cache in '%s' cannot be written (%s): chunks are stored in "
                     "memory alone for the next minute",
                     cache_disk_dir(all->opts.disk), strerror(-rc));
}

static void disk_reserve(struct flight *flight, uint32_t stored, uint32_t plain)
{
    struct flights *all = flight->all;
    if (!all->opts.disk || clock_steady_ns() < all->disk_resumes_ns)
        return;
    int rc = cache_disk_reserve(all->opts.disk, &flight->digest, stored, plain,
                                &flight->write);
    if (rc < 0)
        disk_failed(all, rc);
}

static void on_fetched(struct fetch *fetch, int rc, struct payload *payload)
{
    struct flight *flight =
        (struct flight *)((char *)fetch - offsetof(struct flight, fetch));
    flight->is_fetching = false;
    if (rc < 0) { /* no upstream has it */
        flight_end(flight, rc, NULL);
        return;
    }
    flight->stored = payload;
    disk_reserve(flight, payload->size, payload->plain_size);
    flight_work(flight, SOURCE_UPSTREAM);
}

static void flight_fetch(struct flight *flight)
{
    flight->is_fetching = true;
    flight->fetch = (struct fetch){ .kind = FETCH_CHUNK,
                                    .digest = flight->digest,
                                    .done = on_fetched };
    upstreams_fetch(flight->all->opts.upstreams, &flight->fetch);
}

/* What is in memory is plain, and a source at hand has it compressed. */
static bool has_stored_form(const struct flights *all, const struct payload *payload)
{
    return payload->was_compressed &&
           (!all->opts.upstreams ||
            (all->opts.disk && cache_disk_has(all->opts.disk, &payload->digest)));
}

/* From the nearest source that has it. */
static void flight_start(struct flight *flight)
{
    struct flights *all = flight->all;
    struct payload *payload = cache_memory_get(all->opts.memory, &flight->digest);
    if (payload && (wants_plain(flight) || !has_stored_form(all, payload))) {
        flight->stored = payload_ref(payload);
        flight_work(flight, SOURCE_MEMORY);
    } else if (all->opts.disk &&
               cache_disk_find(all->opts.disk, &flight->digest, &flight->read)) {
        if (flight->read.is_old)
            disk_reserve(flight, flight->read.stored, flight->read.plain);
        flight_work(flight, SOURCE_DISK);
    } else if (all->opts.upstreams) {
        all->counts.misses++;
        flight_fetch(flight);
    } else {
        all->counts.misses++;
        flight_work(flight, SOURCE_REPOSITORY);
    }
}

/* ---- after a worker ---- */

static void flight_clear(struct flight *flight)
{
    payload_unref(TAKE(flight->stored));
    payload_unref(TAKE(flight->plain));
    cache_disk_release(&flight->read);
    cache_disk_release(&flight->write);
}

static void flight_failed(struct flight *flight)
{
    struct flights *all = flight->all;
    enum flight_source source = flight->source;
    flight_clear(flight);
    if (source == SOURCE_DISK && flight->rc != -ENOMEM) {
        all->counts.corrupt_disk++;
        cache_disk_remove(all->opts.disk, &flight->digest);
        forwarder_report(
            all->opts.report, LOG_LEVEL_WARN, FORWARDER_CORRUPT,
            "a chunk in the cache '%s' is damaged (%s): it is fetched anew",
            cache_disk_dir(all->opts.disk), strerror(-flight->rc));
        flight_start(flight);
    } else if (source == SOURCE_UPSTREAM && flight->rc == -EUCLEAN) {
        all->counts.corrupt_upstream++;
        flight->is_fetching = true;
        upstreams_fetch_elsewhere(all->opts.upstreams, &flight->fetch);
    } else {
        if (source == SOURCE_MEMORY)
            cache_memory_remove(all->opts.memory, &flight->digest);
        if (flight->rc != -ENOMEM) {
            all->counts.repository_failures++;
            forwarder_report(all->opts.report, LOG_LEVEL_ERROR, FORWARDER_CORRUPT,
                             "the repository does not have a chunk as it should: %s",
                             flight->err.text[0] ? flight->err.text
                                                 : strerror(-flight->rc));
        }
        flight_end(flight, flight->rc, NULL);
    }
}

static void source_count(struct flight *flight)
{
    struct flight_counts *counts = &flight->all->counts;
    if (flight->source == SOURCE_REPOSITORY) {
        counts->repository_chunks++;
        counts->repository_bytes += flight->stored->size;
    }
    counts->disk_hits += flight->source == SOURCE_DISK;
    counts->memory_hits += flight->source == SOURCE_MEMORY;
}

static void disk_commit(struct flight *flight)
{
    if (!flight->write.segment)
        return;
    if (flight->write_rc < 0) {
        disk_failed(flight->all, flight->write_rc);
        return;
    }
    flight->all->counts.disk_writes++;
    cache_disk_commit(flight->all->opts.disk, &flight->write);
}

static void on_worked(struct work *work)
{
    struct flight *flight = (struct flight *)work;
    flight->is_working = false;
    if (flight->rc < 0) {
        flight_failed(flight);
        return;
    }
    source_count(flight);
    disk_commit(flight);
    struct payload *payload = flight->plain ? flight->plain : flight->stored;
    payload->digest = flight->digest;
    payload->is_verified = flight->stored->is_verified = flight->is_verified;
    payload->was_compressed = flight->plain != NULL;
    const struct payload *there =
        cache_memory_get(flight->all->opts.memory, &flight->digest);
    if (!there || !payload_is_plain(there)) /* plain is what costs most to make */
        cache_memory_put(flight->all->opts.memory, payload);
    bool is_final = payload_is_plain(payload) && payload->is_verified;
    if (!is_final && wants_plain(flight)) { /* one came while it was worked on */
        struct payload *stored = payload_ref(flight->stored);
        flight_clear(flight);
        flight->stored = stored;
        flight_work(flight, SOURCE_MEMORY);
    } else {
        flight_end(flight, 0, payload);
    }
}

/* ---- the door ---- */

static struct flight *flight_new(struct flights *all, const struct digest *digest)
{
    struct flight *flight = calloc(1, sizeof *flight);
    uintptr_t *value =
        flight ? hashmap_put(&all->by_digest, digest_span(digest), NULL) : NULL;
    if (!value) {
        free(flight);
        return NULL;
    }
    *value = (uintptr_t)flight;
    flight->all = all;
    flight->digest = *digest;
    flight->next = all->first;
    if (all->first)
        all->first->previous = flight;
    all->first = flight;
    return flight;
}

struct payload *flights_get(struct flights *all, const struct digest *digest,
                            struct flight_waiter *waiter)
{
    struct payload *payload = cache_memory_get(all->opts.memory, digest);
    waiter->flight = NULL;
    bool is_usable =
        payload && (waiter->form == FORM_STORED
                        ? !has_stored_form(all, payload)
                        : payload_is_plain(payload) && payload->is_verified);
    if (is_usable) {
        all->counts.memory_hits++;
        return payload;
    }
    uintptr_t *value = hashmap_get(&all->by_digest, digest_span(digest));
    struct flight *flight =
        value ? (struct flight *)*value : NULL; /* NOLINT(performance-no-int-to-ptr) */
    if (flight) {
        all->counts.joined++;
        waiter_join(flight, waiter);
        return NULL;
    }
    flight = flight_new(all, digest);
    if (!flight) {
        waiter->done(waiter, -ENOMEM, NULL);
        return NULL;
    }
    waiter_join(flight, waiter);
    flight_start(flight);
    return NULL;
}

static void waiters_expire(struct flight *flight, int64_t now_ns)
{
    struct flights *all = flight->all;
    struct flight_waiter *next;
    for (struct flight_waiter *waiter = flight->first; waiter; waiter = next) {
        next = waiter->next;
        if (now_ns - waiter->since_ns < all->opts.patience_ns)
            return; /* those behind it came later */
        flights_leave(waiter);
        all->counts.expired++;
        waiter->done(waiter, -ETIMEDOUT, NULL);
    }
}

void flights_check(struct flights *all, int64_t now_ns)
{
    struct flight *next;
    for (struct flight *flight = all->first; flight; flight = next) {
        waiters_expire(flight, now_ns);
        next = flight->next;
        if (flight->first || flight->is_working)
            continue;
        if (flight->is_fetching)
            upstreams_cancel(all->opts.upstreams, &flight->fetch);
        flight_forget(flight); /* no client waits for it */
        flight_free(flight);
    }
}
