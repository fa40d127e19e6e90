/* SPDX-License-Identifier: Apache-2.0 */
/* flights - chunks on their way: one fetch a chunk, however many wait for it.
 *
 *     flights_get ─▶ memory ─▶ (there: at once)
 *        │ not there
 *        ▼
 *     flight ─▶ memory, expanded ─▶┐
 *        ├────▶ disk ──────────────┤ a worker: expand, compare the SHA-256
 *        ├────▶ repository ────────┤
 *        └────▶ upstreams ─────────┘        └─▶ memory ─▶ each that waits
 *                 ▲  corrupt: elsewhere │            └──▶ disk, behind that
 *                 └─────────────────────┘
 *
 * What fails for the moment (memory, descriptors, an upstream that has none such) is
 * tried again after a pause, while one waits for it.
 *
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_FLIGHTS_H
#define DATASET_FORWARDER_FLIGHTS_H

#include "dataset/forwarder/cache_disk.h"
#include "dataset/forwarder/cache_memory.h"
#include "dataset/forwarder/upstreams.h"
#include "dataset/forwarder/work.h"

struct flight;

enum chunk_form {
    FORM_STORED, /* or plain, where that is what is there */
    FORM_PLAIN,
};

/* Who waits for a chunk. */
struct flight_waiter {
    void (*done)(struct flight_waiter *waiter, int rc, struct payload *payload);
    enum chunk_form form;
    /* done() has at once that there is none such, or too much to do: it is another
     * level, which has other upstreams.  The others wait within the patience, because
     * an index has that chunk. */
    bool is_impatient;
    bool has_dataset; /* that the chunk is of, as far as one knows */
    struct digest dataset;
    int64_t since_ns;
    struct flight *flight; /* NULL: it does not wait */
    struct flight_waiter *previous, *next;
};

struct flight_counts {
    uint64_t memory_hits, disk_hits, misses, joined; /* joined: of those under way */
    uint64_t repository_chunks, repository_bytes, repository_failures;
    uint64_t corrupt_disk, corrupt_upstream;
    uint64_t disk_writes, disk_write_failures;
    uint64_t disk_writes_skipped; /* too much was to be written */
    uint64_t refused;             /* too much was to be done */
    uint64_t expired;             /* waited longer than the patience */
};

struct flights_opts {
    struct cache_memory *memory;
    struct cache_disk *disk;     /* NULL: none */
    struct upstreams *upstreams; /* NULL: a repository is served */
    struct work_pool *pool;
    int64_t patience_ns; /* INT64_MAX: for ever */
    const struct forwarder_report *report;
};

struct flights;

int flights_new(const struct flights_opts *opts, struct flights **ret);
/* After the loop has ended. */
void flights_free(struct flights *flights);
DEFINE_AUTO(struct flights, flights_free);

/* What is in memory is returned at once, without a reference.  NULL: waiter, of which
 * done, form, is_impatient and has_dataset are set, waits.  done() has a payload
 * without a reference; or -ETIMEDOUT (patience), -ENOENT, -EUCLEAN (the repository),
 * -EBUSY, -ENOMEM.  It may be called before this returns. */
struct payload *flights_get(struct flights *flights, const struct digest *digest,
                            struct flight_waiter *waiter);
/* Whether it is in memory, in whatever form. */
bool flights_have(struct flights *flights, const struct digest *digest);
/* It waits no longer; done() is not called. */
void flights_leave(struct flight_waiter *waiter);
/* Those who waited longer than the patience do so no longer. */
void flights_check(struct flights *flights, int64_t now_ns);
size_t flights_count(const struct flights *flights);
const struct flight_counts *flights_counts(const struct flights *flights);

#endif
