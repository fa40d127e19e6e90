/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - hours of increments: the door to what the engines keep of them, and which
 * hours a batch of rows touches.
 */
#include "records/rollup.h"

#include "records/health.h"
#include "records/put.h"

/* ---- touching ---- */

struct touching {
    int64_t newest_ms;
    int64_t *hours; /* room for four a row */
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

static size_t unite(int64_t *hours, size_t count)
{
    size_t kept = 0;
    qsort(hours, count, sizeof *hours, compare_hours);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || hours[kept - 1] != hours[i])
            hours[kept++] = hours[i];
    return kept;
}

int rollup_rows_stored(struct records *records, enum target_kind kind,
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
    touching.count = unite(touching.hours, touching.count);
    return engine->rollup_touch(records->backend, kind, touching.hours, touching.count,
                                err);
}

/* ---- making ---- */

struct records_roller {
    const struct records_engine *engine;
    struct records_health *health; /* of the records */
    struct engine_roller *roller;
};

static int roller_told(const struct records_roller *roller, int rc,
                       const struct err *err)
{
    if (rc == -EUCLEAN)
        records_health_set_damage(roller->health, err ? err->text : "damage was read");
    return rc;
}

int records_roller_open(struct records *records, struct records_roller **ret,
                        struct err *err)
{
    AUTO(records_roller_close)
    struct records_roller *roller = calloc(1, sizeof *roller);
    if (!roller)
        return -ENOMEM;
    roller->engine = records->engine;
    roller->health = records->health;
    int rc = records_check_connected(records, err);
    if (rc == 0)
        rc = records->engine->roller_open(records->backend, &roller->roller, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(roller);
    return 0;
}

void records_roller_close(struct records_roller *roller)
{
    if (!roller)
        return;
    if (roller->roller)
        roller->engine->roller_close(roller->roller);
    free(roller);
}

int records_roller_begin(struct records_roller *roller, enum target_kind kind,
                         int64_t hour_ms, int64_t *ret_ticket, struct err *err)
{
    return roller_told(
        roller,
        roller->engine->roller_begin(roller->roller, kind, hour_ms, ret_ticket, err),
        err);
}

int records_roller_put(struct records_roller *roller, enum target_kind kind,
                       int64_t hour_ms, int64_t ticket, const struct rollup_cell *cells,
                       size_t count, struct err *err)
{
    return roller_told(roller,
                       roller->engine->roller_put(roller->roller, kind, hour_ms, ticket,
                                                  cells, count, err),
                       err);
}

int records_roller_end(struct records_roller *roller, enum target_kind kind,
                       int64_t hour_ms, int64_t ticket, struct err *err)
{
    return roller_told(
        roller, roller->engine->roller_end(roller->roller, kind, hour_ms, ticket, err),
        err);
}

int records_roller_drop(struct records_roller *roller, enum target_kind kind,
                        int64_t oldest_ms, bool *ret_dropped, struct err *err)
{
    return roller_told(
        roller,
        roller->engine->roller_drop(roller->roller, kind, oldest_ms, ret_dropped, err),
        err);
}

/* ---- reading ---- */

int records_reader_begin(struct records_reader *reader, struct err *err)
{
    return reader_told(reader, reader->engine->reader_begin(reader->reader, err), err);
}

void records_reader_end(struct records_reader *reader)
{
    reader->engine->reader_end(reader->reader);
}

int records_read_hours(struct records_reader *reader, enum target_kind kind,
                       int64_t from_ms, int64_t to_ms, records_hour_fn *fn, void *arg,
                       struct err *err)
{
    int rc = reader->engine->reader_hours(reader->reader, kind, reader_clamp(from_ms),
                                          reader_clamp(to_ms), fn, arg, err);
    return reader_told(reader, rc, err);
}

int records_read_cells(struct records_reader *reader, const struct cell_range *range,
                       records_cell_fn *fn, void *arg, struct err *err)
{
    int rc = reader->engine->reader_cells(reader->reader, range, fn, arg, err);
    return reader_told(reader, rc, err);
}
