/* SPDX-License-Identifier: Apache-2.0 */
/* backend - the writer's session of PostgreSQL, and what each part of it does. */
#ifndef RECORDS_POSTGRES_BACKEND_H
#define RECORDS_POSTGRES_BACKEND_H

#include "records/engine/engine.h"
#include "records/postgres/identity.h"
#include "records/postgres/place.h"
#include "records/postgres/schema_sql.h"
#include "records/postgres/upkeep.h"

#define PG_WAIT_MS 60000     /* when opts set none */
#define PG_READ_LOCK_MS 5000 /* a migration, a partition that is dropped */

struct records_backend {
    struct pg_conn conn;
    struct records_opts opts; /* texts are ours */
    struct pg_schema schema;
    char description[512];
    struct pg_writer writer; /* where it is the only one */
    int64_t version;         /* of the database's schema */
    bool is_migrated;
    bool is_known;         /* it was open once: identity is what to expect */
    struct uuid writer_id; /* ours, in records_identity */
    struct database_identity identity; /* as we left it */
    int64_t pending_epoch;             /* of the transaction under way */
    bool in_doubt;                     /* how the last COMMIT ended is not known */
    uint64_t generation;               /* one more whenever it was another database */
    struct pg_upkeep upkeep;
    struct strbuf news; /* why, the last time */
    bool in_transaction;
    bool days_loaded;
    struct day_list days[TARGET_KIND_COUNT];
    struct strbuf data; /* what goes to COPY; kept for its memory */
    struct bulk bulk;   /* rows of a copy, between bulk_begin and bulk_end */
};

int pg_days_load(struct records_backend *b, struct err *err);
/* Outside of a transaction: the partition of the day is there afterwards. */
int pg_day_make(struct records_backend *b, enum target_kind kind, int32_t day,
                struct err *err);
/* Inside: note the spans of rows sorted by time. */
int pg_days_note(struct records_backend *b, enum target_kind kind,
                 const struct keyed_row *rows, size_t count, struct err *err);
int pg_days_drop(struct records_backend *b, int64_t oldest_ms, struct err *err);

int pg_verify(const struct records_opts *opts, struct verify *verify, struct err *err);
int pg_engine_migrate(const struct records_opts *opts, bool is_dry, records_step_fn *fn,
                      void *arg, struct err *err);

int pg_find_series(struct records_backend *b, struct series **series, size_t count,
                   struct arena *arena, struct err *err);
int pg_add_series(struct records_backend *b, struct series **series, size_t count,
                  struct err *err);

int pg_put_rows(struct records_backend *b, enum target_kind kind,
                struct keyed_row *rows, size_t count, struct err *err);
/* Statements that a new session of the writer needs: temporary tables. */
int pg_stage_make(struct records_backend *b, struct err *err);

int pg_reader_open(const struct records_backend *b, struct engine_reader **ret,
                   struct err *err);
void pg_reader_close(struct engine_reader *r);
void pg_reader_watch(struct engine_reader *r, records_watch_fn *fn, void *arg);
int pg_reader_sql(struct engine_reader *r, struct sql_conn *ret, struct err *err);
int pg_reader_series(struct engine_reader *r, const struct series_filter *filter,
                     records_series_fn *fn, void *arg, struct err *err);
int pg_reader_rows(struct engine_reader *r, const struct row_range *range,
                   records_row_fn *fn, void *arg, struct err *err);
int pg_reader_extent(struct engine_reader *r, struct records_extent *ret,
                     struct err *err);

/* The tables of version 3. */
void pg_rollup_tables(struct strbuf *sql);
int pg_rollup_newest(struct records_backend *b, enum target_kind kind,
                     int64_t *ret_hour_ms, struct err *err);
int pg_next_rows(struct records_backend *b, enum target_kind kind,
                 const struct keyed_row *const *rows, size_t count,
                 int64_t *ret_next_ms, struct err *err);
int pg_rollup_touch(struct records_backend *b, enum target_kind kind,
                    const int64_t *hours, size_t count, struct err *err);
int pg_roller_open(const struct records_backend *b, struct engine_roller **ret,
                   struct err *err);
void pg_roller_close(struct engine_roller *r);
int pg_roller_begin(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                    int64_t *ret_ticket, struct err *err);
int pg_roller_put(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                  int64_t ticket, const struct rollup_cell *cells, size_t count,
                  struct err *err);
int pg_roller_end(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                  int64_t ticket, struct err *err);
int pg_roller_drop(struct engine_roller *r, enum target_kind kind, int64_t oldest_ms,
                   bool *ret_dropped, struct err *err);
int pg_reader_begin(struct engine_reader *r, struct err *err);
void pg_reader_end(struct engine_reader *r);
int pg_reader_cells(struct engine_reader *r, const struct cell_range *range,
                    records_cell_fn *fn, void *arg, struct err *err);

#endif
