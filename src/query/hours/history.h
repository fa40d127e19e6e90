/* SPDX-License-Identifier: Apache-2.0 */
/* history - the rows of the past, from a database or whatever stands in for one.
 *
 *     rows by (sid, t) ──▶ gathered with their series ──▶ fn(series, row)
 *
 * Series are looked up a few thousand rows at a time while rows stream by, so that
 * memory does not grow with the length of what is read.
 */
#ifndef QUERY_HOURS_HISTORY_H
#define QUERY_HOURS_HISTORY_H

#include "query/counters/counters.h"
#include "records/records.h"

/* Where rows come from.  find_series is called while read_rows is at work. */
struct history {
    int (*find_series)(void *arg, const struct series_filter *filter,
                       records_series_fn *fn, void *fn_arg, struct err *err);
    int (*read_rows)(void *arg, const struct row_range *range, records_row_fn *fn,
                     void *fn_arg, struct err *err);
    /* NULL: there are no names here. */
    int (*find_names)(void *arg, const struct id_name_filter *filter,
                      records_id_name_fn *fn, void *fn_arg, struct err *err);
    int (*extent)(void *arg, struct records_extent *ret, struct err *err);
    /* NULL: there are no roll-ups.  Between begin and end all rows, hours and cells are
     * of one moment. */
    int (*begin)(void *arg, struct err *err);
    void (*end)(void *arg);
    int (*read_hours)(void *arg, enum target_kind kind, int64_t from_ms, int64_t to_ms,
                      records_hour_fn *fn, void *fn_arg, struct err *err);
    int (*read_cells)(void *arg, const struct cell_range *range, records_cell_fn *fn,
                      void *fn_arg, struct err *err);
    void *arg;
};

/* What there is in memory besides; both may be NULL. */
struct cell_cache;
struct history_memory {
    struct cell_cache *cells;
    const struct history_newest *newest;
};

/* Memory that has all rows after a time, with those that the database has. */
struct history_newest {
    /* T_NONE: nothing. */
    int64_t (*stored_from_ms)(void *arg);
    /* The moment that the database is read at lies before this one. */
    void (*on_moment)(void *arg);
    /* Add up what ends after from_ms of its kind (T_NONE: nothing of it).  Errors:
     * -EAGAIN: it may not fit to what was read of the database. */
    int (*accumulate)(void *arg, const struct selection *sel,
                      const int64_t from_ms[TARGET_KIND_COUNT],
                      struct accumulator *accumulator);
    void *arg;
};

/* Two readers of one database, because one streams while the other is queried. */
struct history_readers {
    struct records_reader *rows, *series;
};
void history_of_records(struct history_readers *readers, struct history *ret);

/* row is valid during the call; series too.  Rows of one series come together in the
 * order of time. */
typedef int history_row_fn(void *arg, const struct series *series,
                           const struct jobrow *row);

/* Every row of range, with its series, as far as sel (NULL: all) has it. */
int history_walk(const struct history *history, const struct row_range *range,
                 const struct selection *sel, history_row_fn *fn, void *arg,
                 struct err *err);

/* Every cell of range, likewise, as the increment that it stands for. */
typedef int history_cell_fn(void *arg, const struct series *series, struct span server,
                            const struct increment *inc);
int history_walk_cells(const struct history *history, const struct cell_range *range,
                       const struct selection *sel, history_cell_fn *fn, void *arg,
                       struct err *err);

/* When each server was read last, of the hour before to_ms.  Errors: what the history
 * returns, -ENOMEM. */
int history_add_rounds(const struct history *history, int64_t to_ms,
                       struct rounds *rounds, struct err *err);

/* Add up what the settled selection names, in one reading for several accumulators:
 * sel and the selections of all of them have the same filter and window.
 *
 * Where the window is long (query/plan) its whole hours are read as cells, as far as
 * there are clean ones; the result is the same.  Rows of after the window are found
 * however far they reach back. */
int history_accumulate(const struct history *history, const struct selection *sel,
                       struct accumulator *const *accumulators, size_t count,
                       struct err *err);
/* The same of one accumulator out of memory as far as possible.  Errors: also -EAGAIN
 * (of the newest rows); then the accumulator is of no use. */
int history_accumulate_with(const struct history *history,
                            const struct history_memory *memory,
                            const struct selection *sel,
                            struct accumulator *accumulator, struct err *err);

#endif
