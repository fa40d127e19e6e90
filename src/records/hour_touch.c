/* SPDX-License-Identifier: Apache-2.0 */
/* hour_touch - which hours of roll-ups the rows of a batch make wrong. */
#include "records/hour_touch.h"

struct touching {
    int64_t newest_ms;
    int64_t *hours; /* capacity for four a row */
    size_t count;
};

static void touch_hour(struct touching *t, int64_t hour_ms)
{
    if (hour_ms > t->newest_ms)
        return;
    if (t->count && t->hours[t->count - 1] == hour_ms)
        return; /* rows come sorted by time: mostly it is the same again */
    t->hours[t->count++] = hour_ms;
}

/* Increments of an hour depend on rows from the hour before on, and on the last row
 * before these (query/chain): so a row touches its own hour and the next one, and the
 * same for the row that follows it in its series, wherever that is. */
static void touch_row(struct touching *t, int64_t t_ms)
{
    int64_t hour_ms = rollup_hour_of(t_ms);
    touch_hour(t, hour_ms);
    touch_hour(t, hour_ms + ROLLUP_HOUR_MS);
}

static int compare_hours(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t hours_unite(int64_t *hours, size_t count)
{
    size_t count_once = 0;
    qsort(hours, count, sizeof *hours, compare_hours);
    for (size_t i = 0; i < count; i++)
        if (count_once == 0 || hours[count_once - 1] != hours[i])
            hours[count_once++] = hours[i];
    return count_once;
}

int hour_touch_rows(struct records *records, enum target_kind kind,
                    const struct keyed_row *rows, size_t count, struct err *err)
{
    const struct records_engine *engine = records->engine;
    struct touching touching = { 0 };
    int rc = engine->rollup_newest(records->backend, kind, &touching.newest_ms, err);
    if (rc < 0 || touching.newest_ms == T_NONE)
        return rc;
    const struct keyed_row **late =
        arena_alloc(&records->arena, count * sizeof(struct keyed_row *) + 1);
    int64_t *next_ms = arena_alloc(&records->arena, count * sizeof *next_ms + 1);
    touching.hours = arena_alloc(&records->arena, count * 4 * sizeof *next_ms + 1);
    if (!late || !next_ms || !touching.hours)
        return -ENOMEM;
    size_t late_count = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t hour_ms = rollup_hour_of(rows[i].row->t_ms);
        if (!rows[i].is_new || hour_ms > touching.newest_ms)
            continue;
        touch_row(&touching, rows[i].row->t_ms);
        /* Those of the newest hours have no made hour behind them to be looked for. */
        if (hour_ms + ROLLUP_HOUR_MS < touching.newest_ms)
            late[late_count++] = &rows[i];
    }
    if (late_count)
        rc = engine->next_rows(records->backend, kind, late, late_count, next_ms, err);
    if (rc < 0 || touching.count == 0)
        return rc;
    for (size_t i = 0; i < late_count; i++)
        if (next_ms[i] != T_NONE)
            touch_row(&touching, next_ms[i]);
    touching.count = hours_unite(touching.hours, touching.count);
    return engine->rollup_touch(records->backend, kind, touching.hours, touching.count,
                                err);
}
