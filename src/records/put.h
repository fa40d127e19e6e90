/* SPDX-License-Identifier: Apache-2.0 */
/* put - a batch on its way into the database; the inside of struct records. */
#ifndef RECORDS_PUT_H
#define RECORDS_PUT_H

#include "records/engine/engine.h"
#include "records/records.h"
#include "records/series_cache.h"

#include <stdatomic.h>

#define NAMES_MAX                                                      \
    256 /* servers and namespaces remembered; more are asked for again \
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

struct records {
    const struct records_engine *engine;
    struct records_backend *backend;
    struct records_opts opts;
    atomic_bool is_connected; /* and backend is there, for every thread */
    const struct site *site;
    int64_t retention_ms;
    bool has_rollups; /* they are made */
    struct series_cache *cache;
    struct arena arena; /* of the put under way */

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

    /* The newest row of the batch that was taken last: what speaks for our clock.
     * T_NONE: none since the start, the database is asked. */
    int64_t witness_ms;
    _Atomic uint64_t clock_doubts; /* any thread reads it */
};

struct records_reader {
    const struct records_engine *engine;
    struct records_health *health; /* of the records */
    struct engine_reader *reader;
    records_watch_fn *watch;
    void *watch_arg;
    int stopped; /* what watch said, when it said no */
};

/* Begin a transaction.  Where it is another database than before, everything that is
 * remembered is forgotten first. */
int records_begin(struct records *records, struct err *err);
/* Commit; on failure, and after any failure since begin, roll back and forget names. */
int records_commit(struct records *records, struct err *err);
void records_rollback(struct records *records);
/* A call of the writer has ended like this: what is wrong with the database, if it is
 * the database that is wrong. */
void records_health_note(struct records *records, int rc, const struct err *err);
void names_forget(struct records *records);

/* -EAGAIN with a reason, until records_connect() has succeeded. */
int records_check_connected(const struct records *records, struct err *err);
/* The same, and -EACCES for a reader. */
int records_check_writable(const struct records *records, struct err *err);

/* For records.c and rollup.c: what an engine's rc means to a watched reader; times that
 * can be added to. */
int reader_told(const struct records_reader *reader, int rc, struct err *err);
int64_t reader_clamp(int64_t t_ms);

#define RECORDS_FUTURE_MS INT64_C(3600000) /* how far ahead of now a row may be */

/* Not one time of a batch is in the accepted range: whose clock is wrong?
 * Errors: -EAGAIN (ours, by all that is known); else what reading says. */
int clock_check(struct records *records, int64_t now_ms, struct err *err);
/* A batch of rows in the range was stored. */
void clock_agrees(struct records *records, const struct keyed_row *rows, size_t count);

/* Between begin and commit: rows of one kind are in, sorted by time; the hours whose
 * cells they make wrong are touched. */
int rollup_rows_stored(struct records *records, enum target_kind kind,
                       const struct keyed_row *rows, size_t count, struct err *err);

#endif
