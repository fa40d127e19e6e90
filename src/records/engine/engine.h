/* SPDX-License-Identifier: Apache-2.0 */
/* engine - what a database must be able to do; the engines sqlite/ and
 * postgres/ implement it.
 *
 *     begin ─▶ find_batch ─▶ find_series, add_series, server_id ─▶ put_rows (each kind)
 *           ─▶ add_batch ─▶ commit            any failure: rollback, nothing was
 * changed
 *
 * Threads  a backend belongs to the writer's thread; a reader to its own.
 * Errors   as in records.h: -EAGAIN, -ENOSPC, -EBADMSG, -EIO, with a line in err.
 */
#ifndef RECORDS_ENGINE_ENGINE_H
#define RECORDS_ENGINE_ENGINE_H

#include "records/engine/bulk.h"
#include "records/engine/cell_read.h"
#include "records/engine/day_list.h"
#include "records/engine/hours.h"
#include "records/engine/identity_row.h"
#include "records/engine/ledger_read.h"
#include "records/engine/migration.h"
#include "records/engine/names.h"
#include "records/engine/row_read.h"
#include "records/engine/series_row.h"
#include "records/engine/server_names.h"
#include "records/engine/statement.h"
#include "records/engine/verify.h"
#include "records/request/request.h"
#include "records/tables/tables.h"

struct records_backend; /* each engine's own */
struct engine_reader;   /* likewise */
struct engine_roller;   /* likewise */

struct records_engine {
    const char *name;

    int (*open)(const struct records_opts *opts, struct records_backend **ret,
                struct err *err);
    /* See records_check_whole(); on any thread.  NULL: the server does that itself. */
    int (*check_whole)(const struct records_backend *b, records_watch_fn *watch,
                       void *arg, struct err *err);
    /* See verify.h. */
    int (*verify)(const struct records_opts *opts, struct verify *verify,
                  struct err *err);
    /* See migration.h. */
    int (*migrate)(const struct records_opts *opts, bool is_dry, records_step_fn *fn,
                   void *arg, struct err *err);
    void (*close)(struct records_backend *b);
    const char *(*describe)(const struct records_backend *b);

    /* See records_get_background().  NULL: there are none. */
    void (*background)(const struct records_backend *b, struct records_background *ret);

    /* Another number than before: begin found another database than the one that was
     * left, by *ret_news; nothing that is remembered of it holds.  NULL: never. */
    uint64_t (*generation)(const struct records_backend *b, const char **ret_news);

    int (*begin)(struct records_backend *b, struct err *err);
    int (*commit)(struct records_backend *b, struct err *err);
    void (*rollback)(struct records_backend *b); /* without begin: nothing */

    /* The writer's connection for the statements of names.h; where it broke outside of
     * a transaction, it is made again. */
    int (*writer_sql)(struct records_backend *b, struct sql_conn *ret, struct err *err);
    /* The id of a batch that arrived at now_ms was added to the transaction. */
    void (*note_batch)(struct records_backend *b, int64_t now_ms);

    /* Look up many by (fs, target, entry_id), given sorted by these: those that are
     * stored get everything else, sid too, with texts in the arena. */
    int (*find_series)(struct records_backend *b, struct series **series, size_t count,
                       struct arena *arena, struct err *err);
    /* Store described series that find_series has not found, and give them a sid.  One
     * that another program has stored meanwhile keeps sid 0. */
    int (*add_series)(struct records_backend *b, struct series **series, size_t count,
                      struct err *err);

    /* Make ready for rows on these days; outside of begin and commit. */
    int (*prepare_days)(struct records_backend *b, const struct keyed_row *rows,
                        size_t count, struct err *err);
    /* Rows of one kind, sorted by (t_ms, sid), each key once. */
    int (*put_rows)(struct records_backend *b, enum target_kind kind,
                    struct keyed_row *rows, size_t count, struct err *err);

    /* Drop rows whose whole day is before oldest_ms, and batches from before
     * batch_oldest_ms; outside of begin and commit. */
    int (*maintain)(struct records_backend *b, int64_t now_ms, int64_t oldest_ms,
                    int64_t batch_oldest_ms, struct err *err);

    /* ---- jobs and summaries: see ledger.h; between begin and commit ---- */

    /* Rows sorted by key, each key once: stored is set where there is one, in the
     * arena. From here to the commit no other writer puts into this ledger. */
    int (*ledger_find)(struct records_backend *b, const struct ledger *ledger,
                       struct ledger_row *rows, size_t count, struct arena *arena,
                       struct err *err);
    int (*ledger_put)(struct records_backend *b, const struct ledger *ledger,
                      const struct ledger_row *rows, size_t count, struct err *err);
    int (*ledger_prune)(struct records_backend *b, const struct ledger *ledger,
                        const struct ledger_row *rows, size_t count,
                        ledger_pruned_fn *fn, void *arg, struct err *err);
    /* Delete rows whose age is before oldest_ns.  Errors: -ERANGE (nothing was
     * submitted since: the clock may be wrong, nothing is deleted). */
    int (*ledger_drop)(struct records_backend *b, const struct ledger *ledger,
                       int64_t oldest_ns, struct err *err);

    int (*reader_open)(const struct records_backend *b, struct engine_reader **ret,
                       struct err *err);
    void (*reader_close)(struct engine_reader *r);
    /* fn as in records_reader_watch(); after it said no, any error may be returned. */
    void (*reader_watch)(struct engine_reader *r, records_watch_fn *fn, void *arg);
    int (*reader_series)(struct engine_reader *r, const struct series_filter *filter,
                         records_series_fn *fn, void *arg, struct err *err);
    int (*reader_rows)(struct engine_reader *r, const struct row_range *range,
                       records_row_fn *fn, void *arg, struct err *err);
    int (*reader_extent)(struct engine_reader *r, struct records_extent *ret,
                         struct err *err);
    /* The reader's connection for the statements of ledger_read.h and hours.h. */
    int (*reader_sql)(struct engine_reader *r, struct sql_conn *ret, struct err *err);

    /* ---- hours: see rollup.h ---- */

    /* Between begin and commit.  The newest hour with a state; T_NONE: none has.  From
     * here to the commit no other hour gets one. */
    int (*rollup_newest)(struct records_backend *b, enum target_kind kind,
                         int64_t *ret_hour_ms, struct err *err);
    /* The time of the row that follows each of rows in its series; T_NONE: none. */
    int (*next_rows)(struct records_backend *b, enum target_kind kind,
                     const struct keyed_row *const *rows, size_t count,
                     int64_t *ret_next_ms, struct err *err);
    int (*rollup_touch)(struct records_backend *b, enum target_kind kind,
                        const int64_t *hours, size_t count, struct err *err);

    int (*roller_open)(const struct records_backend *b, struct engine_roller **ret,
                       struct err *err);
    void (*roller_close)(struct engine_roller *r);
    int (*roller_begin)(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                        int64_t *ret_ticket, struct err *err);
    int (*roller_put)(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                      int64_t ticket, const struct rollup_cell *cells, size_t count,
                      struct err *err);
    int (*roller_end)(struct engine_roller *r, enum target_kind kind, int64_t hour_ms,
                      int64_t ticket, struct err *err);
    int (*roller_drop)(struct engine_roller *r, enum target_kind kind,
                       int64_t oldest_ms, bool *ret_dropped, struct err *err);

    int (*reader_begin)(struct engine_reader *r, struct err *err);
    void (*reader_end)(struct engine_reader *r);
    int (*reader_cells)(struct engine_reader *r, const struct cell_range *range,
                        records_cell_fn *fn, void *arg, struct err *err);

    /* ---- tables as they are: see bulk.h ---- */

    /* The table that rows of that day are read from, deleted from and put into: the
     * day's own, or one of all days. */
    void (*day_table)(enum target_kind kind, int32_t day, struct strbuf *out);
    /* SQL: how many rows that day has; its values are the kind, the day's number, its
     * first and its last millisecond. */
    void (*day_count_sql)(enum target_kind kind, struct strbuf *out);
    /* Outside of begin and commit: there is a table for the day, and an entry. */
    int (*day_make)(struct records_backend *b, enum target_kind kind, int32_t day,
                    struct err *err);
    /* Between begin and commit: the entry of the day is this one. */
    int (*day_note)(struct records_backend *b, enum target_kind kind,
                    const struct day_span *day, uint64_t row_count, struct err *err);
    /* Between begin and commit, each row a new one.  What bulk points to must be there
     * until bulk_end; after an error nothing but rollback follows.  Errors: also
     * -EILSEQ, -ERANGE (a value that this database cannot hold, with its column). */
    int (*bulk_begin)(struct records_backend *b, const struct bulk *bulk,
                      struct err *err);
    int (*bulk_row)(struct records_backend *b, const struct bulk_value *values,
                    struct err *err);
    int (*bulk_end)(struct records_backend *b, struct err *err);
};

#endif
