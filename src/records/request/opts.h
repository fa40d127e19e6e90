/* SPDX-License-Identifier: Apache-2.0 */
/* opts - which database, and what a program may do to it. */
#ifndef RECORDS_REQUEST_OPTS_H
#define RECORDS_REQUEST_OPTS_H

#include <stdbool.h>
#include <stdint.h>

/* What a program may do to a database. */
enum records_access {
    RECORDS_WRITE, /* create and migrate it, put, upkeep: barod */
    /* SELECT alone: nothing is made, migrated or set.  Schemas from
     * SCHEMA_VERSION_READABLE on are read as they are. */
    RECORDS_READ,
};

struct records_opts {
    enum records_access access;
    /* No second writer: PostgreSQL waits for it (-EAGAIN); beside SQLite's file a lock
     * is held, before anything is written: -EBUSY. */
    bool is_exclusive;
    const char *engine;     /* "sqlite" or "postgres" */
    const char *path;       /* SQLite's file */
    const char *connection; /* libpq's connection string */
    const char *schema; /* PostgreSQL: of our tables; NULL: the search path's first */
    int64_t retention_ns;
    int64_t rollups_retention_ns;    /* 0: none are made */
    int64_t retention_jobs_ns;       /* of jobs and summaries; 0: for ever */
    int64_t retention_provenance_ns; /* of files of jobs; 0: none is stored */
    int64_t compress_after_ns;       /* TimescaleDB community edition; 0: never */
    int64_t timeout_ns;        /* PostgreSQL: how long it may be silent; 0: 60 s */
    uint64_t series_cache_max; /* series kept in memory, about 400 B each; 0: 250,000 */
};

#endif
