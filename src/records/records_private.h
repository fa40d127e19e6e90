/* SPDX-License-Identifier: Apache-2.0 */
/* records_private - the inside of struct records; for this room alone. */
#ifndef RECORDS_RECORDS_PRIVATE_H
#define RECORDS_RECORDS_PRIVATE_H

#include "records/engine/engine.h"
#include "records/health.h"
#include "records/records.h"
#include "records/series_cache.h"

#include <stdatomic.h>

#define NAMES_MAX                                                       \
    256 /* servers and namespaces in memory; others are looked up again \
         */

struct server_known {
    struct span name;
    int32_t server_id;
};

struct fs_name {
    struct fs_name *next;
    struct span name;
};

struct namespace_known {
    struct span fs, format;
    struct uuid ns;
    struct fs_name *others; /* of the file system, before it was renamed */
};

struct job_files_known;

struct host_bounds;

struct records {
    const struct records_engine *engine;
    struct records_backend *backend;
    struct records_opts opts;
    atomic_bool is_connected; /* and backend is there, for every thread */
    const struct site *site;
    int64_t retention_ms;
    bool has_rollups; /* they are made */
    struct series_cache *cache;
    struct arena arena;            /* of the put under way */
    struct job_files_known *files; /* NULL: none came yet */
    uint64_t job_puts;             /* of records of jobs */

    /* What the database was seen to hold.  Forgotten on every rollback, because the
     * transaction may have been the one that stored it. */
    struct arena names;
    struct server_known servers[NAMES_MAX];
    size_t server_count;
    struct namespace_known namespaces[NAMES_MAX];
    size_t namespace_count;

    /* Which database it is, by the engine's count; and how it is. */
    uint64_t generation;
    int64_t begun_ns; /* monotonic, of the last begin that succeeded */
    struct records_health *health;

    uint64_t doubts; /* commits that failed, and may have been one all the same */

    /* The newest row of the batch that was accepted last: what speaks for our clock.
     * T_NONE: none since the start, it is read from the database. */
    int64_t witness_ms;
    _Atomic uint64_t clock_doubts; /* any thread reads it */

    struct host_bounds *host_bounds; /* of reports of parts */
    /* Any thread reads them. */
    _Atomic uint64_t part_changes_dropped, part_stays_pruned;
};

struct records_reader {
    const struct records_engine *engine;
    struct records_health *health; /* of the records */
    struct engine_reader *reader;
    records_watch_fn *watch;
    void *watch_arg;
    int stopped; /* what watch said, when it said no */
};

#define RECORDS_FUTURE_MS INT64_C(3600000) /* how far ahead of now a row may be */

#endif
