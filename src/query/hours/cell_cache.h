/* SPDX-License-Identifier: Apache-2.0 */
/* cell_cache - the cells of clean hours in memory: panels read the same hours again and
 * again.
 *
 *     hour ─▶ block: cells of all series, as they stand in the database  (kind, hour,
 * changes) wanted cells of many hours ─▶ by series, each in the order of time ─▶ fn
 *
 * An hour that was touched and made again has another number of changes, so what was
 * read before is of no use to a reading that sees the new number: both come out of the
 * moment that the reading sees.
 *
 * Threads  any: one mutex, never held over I/O.  A block does not change; those that a
 *          reading uses stay until it ends, whatever is dropped meanwhile.
 * Limits   bytes_max.  What would not fit is not read into it.  The hours that were not
 *          used for the longest time go first, none of the last few readings.
 */
#ifndef QUERY_HOURS_CELL_CACHE_H
#define QUERY_HOURS_CELL_CACHE_H

#include "query/hours/history.h"

struct cell_cache;

/* Errors: -ENOMEM. */
int cell_cache_new(size_t bytes_max, struct cell_cache **ret);
void cell_cache_free(struct cell_cache *cache);
DEFINE_AUTO(struct cell_cache, cell_cache_free);

/* It is another database now. */
void cell_cache_forget(struct cell_cache *cache);

struct cell_hour {
    int64_t hour_ms;
    int64_t changes;
};

struct cell_walk {
    const struct history
        *history; /* within begin and end: the hours are of its moment */
    enum target_kind kind;
    const struct cell_hour *hours; /* ascending */
    size_t hour_count;
    const struct selection *sel;
    uint64_t samples, sums; /* operations that are wanted */
    history_cell_fn *fn;
    void *arg;
};

/* As history_walk_cells of these hours, all their series: increments that have nothing
 * of what is wanted, and no loss, are left out.  1: done; 0: they do not fit into the
 * memory, nothing was called: read the database.  Errors: what history and fn return,
 * -ENOMEM. */
int cell_cache_walk(struct cell_cache *cache, const struct cell_walk *walk,
                    struct err *err);

struct cell_cache_stats {
    size_t bytes, hours, series;
    uint64_t hits, misses; /* hours */
};
void cell_cache_get_stats(struct cell_cache *cache, struct cell_cache_stats *ret);

#endif
