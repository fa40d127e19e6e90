/* SPDX-License-Identifier: Apache-2.0 */
/* rollup_check - are the stored cells of an hour what its rows add up to? */
#include "query/hours/rollup_check.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "query/hours/rollup.h"

#include <stdlib.h>
#include <string.h>

/* Cells in the order of (sid, part), servers' names apart. */
struct cells {
    struct rollup_cell *list;
    size_t count, capacity;
    struct arena names;
};

static void cells_done(struct cells *cells)
{
    free(cells->list);
    arena_done(&cells->names);
}
DEFINE_AUTO_DONE(struct cells, cells_done);

static int cells_add(void *arg, const struct rollup_cell *cell)
{
    struct cells *cells = arg;
    if (cells->count == cells->capacity) {
        size_t capacity = cells->capacity ? cells->capacity * 2 : 64;
        struct rollup_cell *list =
            reallocarray(cells->list, capacity, sizeof *cells->list);
        if (!list)
            return -ENOMEM;
        cells->list = list;
        cells->capacity = capacity;
    }
    const char *name = arena_dup(&cells->names, cell->server);
    if (!name)
        return -ENOMEM;
    cells->list[cells->count] = *cell;
    cells->list[cells->count++].server = (struct span){ name, cell->server.size };
    return 0;
}

static bool cell_eq(const struct rollup_cell *a, const struct rollup_cell *b)
{
    return a->hour_ms == b->hour_ms && a->sid == b->sid && a->part == b->part &&
           a->since_ms == b->since_ms && a->t_ms == b->t_ms && a->flags == b->flags &&
           a->count == b->count && a->missing_samples == b->missing_samples &&
           a->missing_sum == b->missing_sum && span_eq(a->server, b->server) &&
           memcmp(a->samples, b->samples, sizeof a->samples) == 0 &&
           memcmp(a->sum, b->sum, sizeof a->sum) == 0;
}

static bool cells_eq(const struct cells *a, const struct cells *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = cell_eq(&a->list[i], &b->list[i]);
    return same;
}

struct hours {
    int64_t *list;
    size_t count, capacity;
};

static void hours_done(struct hours *hours)
{
    free(hours->list);
}
DEFINE_AUTO_DONE(struct hours, hours_done);

static int on_hour(void *arg, int64_t hour_ms, bool is_clean, int64_t changes)
{
    (void)changes;
    struct hours *hours = arg;
    if (!is_clean)
        return 0;
    if (hours->count == hours->capacity) {
        size_t capacity = hours->capacity ? hours->capacity * 2 : 256;
        int64_t *list = reallocarray(hours->list, capacity, sizeof *hours->list);
        if (!list)
            return -ENOMEM;
        hours->list = list;
        hours->capacity = capacity;
    }
    hours->list[hours->count++] = hour_ms;
    return 0;
}

struct check {
    struct records_reader *rows, *cells;
    const struct rollup_check_watch *watch;
    struct rollup_checked counts;
};

static int hour_check(struct check *check, enum target_kind kind, int64_t hour_ms,
                      struct err *err)
{
    AUTO(cells_done) struct cells stored = { 0 };
    AUTO(cells_done) struct cells made = { 0 };
    struct history history;
    struct history_readers readers = { .rows = check->rows };
    const struct cell_range range = { .kind = kind,
                                      .from_ms = hour_ms,
                                      .to_ms = hour_ms + ROLLUP_HOUR_MS,
                                      .samples = UINT64_MAX,
                                      .sums = UINT64_MAX };
    arena_init(&stored.names, 0);
    arena_init(&made.names, 0);
    history_of_records(&readers, &history);
    int rc = records_read_cells(check->cells, &range, cells_add, &stored, err);
    if (rc == 0)
        rc = rollup_make(&history, kind, hour_ms, hour_ms + ROLLUP_HOUR_MS, cells_add,
                         &made, err);
    if (rc < 0)
        return rc;
    check->counts.hours++;
    check->counts.cells += stored.count;
    if (!cells_eq(&stored, &made)) {
        check->counts.wrong_hours++;
        check->watch->wrong_fn(check->watch->arg, kind, hour_ms);
    }
    return 0;
}

/* Rows of before the first day are gone: hours near it cannot be made again. */
static int kind_check(struct check *check, enum target_kind kind,
                      const struct records_extent *extent, size_t hours_max,
                      struct err *err)
{
    AUTO(hours_done) struct hours hours = { 0 };
    int64_t from_ms = rollup_hour_of(extent->first_ms);
    if (extent->rollup_first_ms != T_NONE && extent->rollup_first_ms < from_ms)
        from_ms += RECORDS_LOOKBACK_MS + 2 * ROLLUP_HOUR_MS;
    int rc = records_read_hours(check->cells, kind, from_ms,
                                extent->last_ms + ROLLUP_HOUR_MS, on_hour, &hours, err);
    size_t count = hours.count < hours_max ? hours.count : hours_max;
    for (size_t i = 0; i < count && rc == 0; i++) {
        rc = hour_check(check, kind, hours.list[i * hours.count / count], err);
        if (check->watch->progress_fn)
            check->watch->progress_fn(check->watch->arg, kind * hours_max + i + 1,
                                      TARGET_KIND_COUNT * hours_max);
    }
    return rc;
}

int rollup_check(struct records_reader *rows, struct records_reader *cells,
                 size_t hours_max, const struct rollup_check_watch *watch,
                 struct rollup_checked *ret, struct err *err)
{
    struct check check = { .rows = rows, .cells = cells, .watch = watch };
    struct records_extent extent = { .first_ms = T_NONE };
    int rc = records_extent(cells, &extent, err);
    for (enum target_kind kind = 0;
         kind < TARGET_KIND_COUNT && rc == 0 && extent.first_ms != T_NONE; kind++)
        rc = kind_check(&check, kind, &extent, hours_max, err);
    if (rc == 0)
        *ret = check.counts;
    return rc;
}
