/* SPDX-License-Identifier: Apache-2.0 */
/* fixture - a database of either engine, empty, and the means to fill and read it. */
#ifndef RECORDS_TEST_FIXTURE_H
#define RECORDS_TEST_FIXTURE_H

#include "base/test/testing.h"
#include "records/records.h"
#include "records/tables/tables.h"

#define T0_MS INT64_C(1795219200000) /* 2026-11-21T00:00:00Z */
#define MINUTE_MS INT64_C(60000)
#define DAY_NS (INT64_C(86400) * NS_PER_S)

struct fixture {
    const char *engine;
    char dir[128]; /* scratch; SQLite's file is in it */
    char path[160];
    char schema[64]; /* PostgreSQL: a schema of its own in the test's database */
    char connection[512];
    struct config *config;
    struct site *site;
    struct records_opts opts;
    struct records *records;
    struct records_reader *reader;
};

/* Both engines, or SQLite alone where BARO_TEST_POSTGRES is not set. */
extern const char *const fixture_engines[];
size_t fixture_engine_count(void);

void fixture_start(struct fixture *f, const char *engine, const char *config);
void fixture_stop(struct fixture *f);
/* Close and open again, as another process would. */
void fixture_reopen(struct fixture *f);
/* Empty the database, fill it by SQL, and open it again. */
void fixture_restore(struct fixture *f, const char *sql);
/* SQL past the room's door. */
void fixture_sql(struct fixture *f, const char *sql);
/* The one number a statement answers. */
int64_t fixture_number(struct fixture *f, const char *sql);

/* A row of target and id at t, with since and previous two minutes before. */
struct jobrow *fixture_row(struct jobbatch *batch, const char *target, const char *id,
                           int64_t t_ms);
void fixture_count(struct jobrow *row, enum op op, uint64_t samples);
/* Give rows without one the file system that the site has for them, as ingest does. */
void fixture_fs(struct fixture *f, const struct jobbatch *batch);
struct records_response fixture_put(struct fixture *f, const struct jobbatch *batch,
                                    int64_t now_ms);

/* Everything that a reading gives, one line a row. */
void fixture_read(struct fixture *f, const struct row_range *range, struct strbuf *out);
/* All series, one line each, ordered by target and identifier, without sid and id. */
void fixture_series(struct fixture *f, const struct series_filter *filter,
                    struct strbuf *out);
int64_t fixture_sid(struct fixture *f, const char *target, const char *id);

#endif
