/* SPDX-License-Identifier: Apache-2.0 */
/* flights - chunks on their way: one fetch a chunk, however many wait for it. */
#include "dataset/forwarder/flights.h"

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/number.h"

#define DISK_PAUSE_NS (60 * NS_PER_S)
#define RETRY_MIN_NS (100 * NS_PER_MS)
#define RETRY_DOUBLINGS_MAX 5U
/* Bytes of chunks that wait to be written to the disk. */
#define WRITING_MAX (64U << 20)

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
    bool is_working, is_fetching, is_pausing;
    int64_t resumes_ns; /* after a pause */
    unsigned retries;
    /* The worker's, while it works: */
    bool wants_plain, is_verified;
    struct payload *stored, *plain;
    struct disk_position read;
    int rc;
    struct err err;
};

/* A chunk that was verified, on its way to the disk; no client waits for that. */
struct disk_write {
    struct work work; /* first */
    struct flights *all;
    struct payload *payload;
    struct disk_position position;
    int rc;
};

struct flights {
    struct flights_opts opts;
    struct hashmap by_digest;
    struct flight *first;
    struct flight_counts counts;
    int64_t disk_resumes_ns; /* after a failed write */
    size_t writing;          /* bytes */
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

/* What failed is momentary: it starts again after a while. */
static void flight_pause(struct flight *flight)
{
    unsigned doublings =
        flight->retries < RETRY_DOUBLINGS_MAX ? flight->retries : RETRY_DOUBLINGS_MAX;
    flight->retries++;
    flight->is_pausing = true;
    flight->resumes_ns = clock_steady_ns() + (RETRY_MIN_NS << doublings);
}

/* Those who have others to request it of. */
static void waiters_refuse(struct flight *flight, int rc)
{
    struct flight_waiter *waiter = flight->first;
    while (waiter) {
        if (!waiter->is_impatient) {
            waiter = waiter->next;
            continue;
        }
        flights_leave(waiter);
        waiter->done(waiter, rc, NULL);
        waiter = flight->first; /* the list may be another now */
    }
}

static bool is_awaited(const struct flight *flight)
{
    const struct flight_waiter *waiter = flight->first;
    while (waiter && waiter->is_impatient)
        waiter = waiter->next;
    return waiter;
}

static void on_fetched(struct fetch *fetch, int rc, struct payload *payload)
{
    struct flight *flight =
        (struct flight *)((char *)fetch - offsetof(struct flight, fetch));
    flight->is_fetching = false;
    if (rc < 0 && is_awaited(flight)) { /* no upstream has it */
        waiters_refuse(flight, rc);
        flight_pause(flight);
        return;
    }
    if (rc < 0) {
        flight_end(flight, rc, NULL);
        return;
    }
    flight->stored = payload;
    flight_work(flight, SOURCE_UPSTREAM);
}

/* Of those who wait for it, in turn: what one may have another may not.  NULL: no
 * dataset is known. */
static const struct flight_waiter *waiter_of_dataset(const struct flight *flight)
{
    const struct flight_waiter *found = NULL;
    unsigned skip = flight->retries;
    for (const struct flight_waiter *w = flight->first; w; w = w->next) {
        if (!w->has_dataset)
            continue;
        found = w;
        if (skip-- == 0)
            break;
    }
    return found;
}

static void flight_fetch(struct flight *flight)
{
    const struct flight_waiter *waiter = waiter_of_dataset(flight);
    flight->is_fetching = true;
    flight->fetch = (struct fetch){ .kind = FETCH_CHUNK,
                                    .digest = flight->digest,
                                    .has_dataset = waiter != NULL,
                                    .done = on_fetched };
    if (waiter)
        flight->fetch.dataset = waiter->dataset;
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
}

/* Of the repository: what another attempt would not change. */
static bool is_lasting(const struct flight *flight)
{
    return flight->rc == -ENOENT || flight->rc == -EUCLEAN;
}

/* That there is no such chunk is a defect where an index has it, and not where another
 * level requests what it likes. */
static void repository_failed(struct flight *flight)
{
    struct flights *all = flight->all;
    if (flight->rc == -ENOENT && !is_awaited(flight))
        return;
    all->counts.repository_failures++;
    forwarder_report(
        all->opts.report, LOG_LEVEL_ERROR, FORWARDER_CORRUPT,
        is_lasting(flight)
            ? "the repository does not have a chunk as it should: %s"
            : "the repository cannot be read now: %s; the chunk is tried again",
        flight->err.text[0] ? flight->err.text : strerror(-flight->rc));
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
        if (source == SOURCE_REPOSITORY || is_lasting(flight))
            repository_failed(flight);
        if (is_lasting(flight))
            flight_end(flight, flight->rc, NULL);
        else
            flight_pause(flight);
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

/* ---- to the disk ---- */

static void disk_failed(struct flights *all, int rc)
{
    all->counts.disk_write_failures++;
    all->disk_resumes_ns = clock_steady_ns() + DISK_PAUSE_NS;
    forwarder_report(all->opts.report, LOG_LEVEL_WARN, FORWARDER_DISK,
                     "the cache in '%s' cannot be written (%s): chunks are stored in "
                     "memory alone for the next minute",
                     cache_disk_dir(all->opts.disk), strerror(-rc));
}

static void disk_write_run(struct work *work, struct worker *worker)
{
    struct disk_write *write = (struct disk_write *)work;
    (void)worker;
    write->rc = cache_disk_write(&write->position, write->payload->data);
}

static void on_disk_written(struct work *work)
{
    struct disk_write *write = (struct disk_write *)work;
    struct flights *all = write->all;
    all->writing -= write->payload->size;
    if (write->rc < 0) {
        disk_failed(all, write->rc);
    } else {
        all->counts.disk_writes++;
        cache_disk_commit(all->opts.disk, &write->position);
    }
    cache_disk_release(&write->position);
    payload_unref(write->payload);
    free(write);
}

static void disk_write_begin(struct flights *all, struct payload *payload)
{
    struct disk_write *write = calloc(1, sizeof *write);
    int rc = write ? cache_disk_reserve(all->opts.disk, &payload->digest, payload->size,
                                        payload->plain_size, &write->position)
                   : -ENOMEM;
    if (rc < 0) {
        disk_failed(all, rc);
        free(write);
        return;
    }
    write->all = all;
    write->payload = payload_ref(payload);
    write->work.run = disk_write_run;
    write->work.done = on_disk_written;
    all->writing += payload->size;
    work_submit(all->opts.pool, &write->work);
}

/* What was verified only: what an upstream makes up does not replace what is
 * right.  One of the oldest is written anew, and so stays. */
static void disk_put(struct flight *flight)
{
    struct flights *all = flight->all;
    bool is_wanted = flight->source == SOURCE_UPSTREAM ||
                     (flight->source == SOURCE_DISK && flight->read.is_old);
    if (!is_wanted || !all->opts.disk || clock_steady_ns() < all->disk_resumes_ns)
        return;
    if (all->writing >= WRITING_MAX) {
        all->counts.disk_writes_skipped++;
        return;
    }
    disk_write_begin(all, flight->stored);
}

/* ---- after a worker, again ---- */

static void on_worked(struct work *work)
{
    struct flight *flight = (struct flight *)work;
    flight->is_working = false;
    if (flight->rc < 0) {
        flight_failed(flight);
        return;
    }
    source_count(flight);
    if (flight->source == SOURCE_UPSTREAM)
        upstreams_verified(flight->all->opts.upstreams, &flight->fetch);
    flight->stored->digest = flight->digest;
    disk_put(flight);
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
    bool is_refused = waiter->is_impatient && work_pool_is_full(all->opts.pool);
    all->counts.refused += is_refused;
    flight = is_refused ? NULL : flight_new(all, digest);
    if (!flight) {
        waiter->done(waiter, is_refused ? -EBUSY : -ENOMEM, NULL);
        return NULL;
    }
    waiter_join(flight, waiter);
    flight_start(flight);
    return NULL;
}

/* From the first one again after each: its client may leave with others of the same
 * chunk. */
static void waiters_expire(struct flight *flight, int64_t now_ns)
{
    struct flights *all = flight->all;
    while (flight->first && now_ns - flight->first->since_ns >= all->opts.patience_ns) {
        struct flight_waiter *waiter = flight->first; /* the others came later */
        flights_leave(waiter);
        all->counts.expired++;
        waiter->done(waiter, -ETIMEDOUT, NULL);
    }
}

/* No client waits for it.  What a worker has in hand ends by itself. */
static void flight_cancel(struct flight *flight)
{
    if (flight->is_working && !work_cancel(&flight->work))
        return;
    if (flight->is_fetching)
        upstreams_cancel(flight->all->opts.upstreams, &flight->fetch);
    flight_forget(flight);
    flight_free(flight);
}

void flights_check(struct flights *all, int64_t now_ns)
{
    struct flight *next;
    for (struct flight *flight = all->first; flight; flight = next) {
        waiters_expire(flight, now_ns);
        next = flight->next;
        if (!flight->first) {
            flight_cancel(flight);
        } else if (flight->is_pausing && now_ns >= flight->resumes_ns) {
            flight->is_pausing = false;
            flight_start(flight);
        }
    }
}
