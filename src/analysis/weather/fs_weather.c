/* SPDX-License-Identifier: Apache-2.0 */
/* fs_weather - what the servers of a file system did in a window of time. */
#include "analysis/weather/fs_weather.h"

#include "analysis/stats/stats.h"
#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>
#include <string.h>

#define DAY_S INT64_C(86400)
#define MEASURED_MIN 0.5 /* of another day, for it to count */

struct reading {
    const struct weather_source *source;
    struct lmt_series **series; /* of the window being read */
    size_t count;
    struct weather *w;
    struct hashmap targets; /* name -> index + 1 */
    size_t target_capacity;
    double *days[LMT_MEASURES];
};

void weather_source_add(struct weather_source *source, int64_t from_s, int64_t to_s)
{
    source->first_s = from_s < source->first_s ? from_s : source->first_s;
    source->end_s = to_s > source->end_s ? to_s : source->end_s;
}

void weather_source_against(struct weather_source *source, int64_t from_s, int64_t to_s,
                            int64_t against_s)
{
    if (against_s <= 0)
        return;
    int64_t first_s = from_s - against_s + 1;
    source->first_s = first_s > source->first_s ? first_s : source->first_s;
    source->end_s = to_s;
}

/* Returns 1 when at least one of the series has something of it. */
static int grid_read(const struct reading *r, enum lmt_measure measure,
                     struct lmt_grid *grid, struct err *err)
{
    int has_any = 0;
    for (size_t i = 0; i < r->count; i++) {
        int rc = lmt_series_read(r->series[i], measure, grid, err);
        if (rc == 0)
            has_any = 1;
        else if (rc != -ENOENT)
            return rc;
    }
    return has_any;
}

/* ---- a grid in numbers ---- */

struct sums {
    double total, peak;
    size_t steps; /* in which anything was measured */
    size_t cells, zeros;
    size_t peak_row, peak_column;
};

static void row_sum(const struct lmt_grid *grid, size_t row, enum lmt_kind kind,
                    struct sums *s)
{
    double all = 0;
    double even = 0;
    size_t known = 0;
    for (size_t column = 0; column < grid->column_count; column++) {
        double value = *lmt_grid_at(grid, row, column);
        if (isnan(value))
            continue;
        known++;
        all += value;
        even += lmt_grid_even(grid, row, column);
        s->zeros += value == 0;
        if (kind == LMT_GAUGE && !(value <= s->peak)) {
            s->peak = value;
            s->peak_row = row;
            s->peak_column = column;
        }
    }
    if (known == 0)
        return;
    if (kind == LMT_COUNT && !(even <= s->peak)) {
        s->peak = even;
        s->peak_row = row;
    }
    s->total += all;
    s->cells += known;
    s->steps++;
}

static struct sums grid_sum(const struct lmt_grid *grid, enum lmt_kind kind)
{
    struct sums s = { .peak = NAN };
    for (size_t row = 0; row < grid->row_count; row++)
        row_sum(grid, row, kind, &s);
    return s;
}

static double mean_of(const struct sums *s, const struct lmt_grid *grid,
                      enum lmt_kind kind)
{
    if (s->cells == 0)
        return NAN;
    return kind == LMT_COUNT ? s->total / (double)s->steps / (double)grid->step_s
                             : s->total / (double)s->cells;
}

static int line_make(struct weather *w, const struct lmt_grid *grid,
                     enum lmt_measure measure)
{
    enum lmt_kind kind = lmt_measure_info(measure)->kind;
    struct weather_line *line = &w->lines[measure];
    struct sums s = grid_sum(grid, kind);
    double by = kind == LMT_COUNT ? (double)grid->step_s : 1;
    size_t all = grid->row_count * grid->column_count;
    *line = (struct weather_line){
        .is_known = s.cells > 0,
        .total = kind == LMT_COUNT ? s.total : NAN,
        .mean = mean_of(&s, grid, kind),
        .peak = s.peak / by,
        .peak_s = grid->start_s + (int64_t)s.peak_row * grid->step_s,
        .quiet = s.cells > 0 ? (double)s.zeros / (double)s.cells : NAN,
        .missing = all > 0 ? 1 - (double)s.cells / (double)all : NAN,
        .cells = s.cells,
    };
    if (kind == LMT_GAUGE && s.cells > 0) {
        line->peak_component =
            arena_dup(&w->arena, span_of(grid->columns[s.peak_column]));
        if (!line->peak_component)
            return -ENOMEM;
    }
    return 0;
}

/* ---- targets ---- */

static struct weather_target *target_of(struct reading *r, const char *name)
{
    struct weather *w = r->w;
    uintptr_t *place = hashmap_put(&r->targets, span_of(name), NULL);
    if (!place)
        return NULL;
    if (*place > 0)
        return &w->targets[*place - 1];
    if (w->target_count == r->target_capacity) {
        size_t capacity = r->target_capacity ? r->target_capacity * 2 : 64;
        struct weather_target *more = arena_alloc(&w->arena, capacity * sizeof *more);
        if (!more)
            return NULL;
        if (w->target_count > 0)
            memcpy(more, w->targets, w->target_count * sizeof *more);
        w->targets = more;
        r->target_capacity = capacity;
    }
    struct weather_target *target = &w->targets[w->target_count];
    *target = (struct weather_target){ .name = arena_dup(&w->arena, span_of(name)) };
    if (!target->name)
        return NULL;
    *place = ++w->target_count;
    return target;
}

static int targets_add(struct reading *r, const struct lmt_grid *grid,
                       enum lmt_measure measure)
{
    for (size_t column = 0; column < grid->column_count; column++) {
        double sum = 0;
        size_t known = 0;
        struct weather_target *target = target_of(r, grid->columns[column]);
        if (!target)
            return -ENOMEM;
        for (size_t row = 0; row < grid->row_count; row++) {
            double value = *lmt_grid_at(grid, row, column);
            known += !isnan(value);
            sum += isnan(value) ? 0 : value;
        }
        *(measure == LMT_READ_BYTES ? &target->read : &target->written) = sum;
        target->cells += grid->row_count;
        target->measured += known;
    }
    return 0;
}

static int target_order(const void *a, const void *b)
{
    const struct weather_target *x = a;
    const struct weather_target *y = b;
    double x_all = x->read + x->written;
    double y_all = y->read + y->written;
    if (x_all != y_all)
        return x_all > y_all ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void targets_end(struct weather *w)
{
    size_t measured = 0;
    size_t idle = 0;
    if (w->target_count > 1)
        qsort(w->targets, w->target_count, sizeof *w->targets, target_order);
    for (size_t i = 0; i < w->target_count; i++) {
        measured += w->targets[i].measured > 0;
        idle += w->targets[i].measured > 0 && w->targets[i].read == 0 &&
                w->targets[i].written == 0;
    }
    w->idle = measured > 0 ? (double)idle / (double)measured : NAN;
}

static int measure_read(struct reading *r, enum lmt_measure measure, struct err *err)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    lmt_grid_init(&grid, r->w->from_s, r->w->to_s);
    int rc = grid_read(r, measure, &grid, err);
    if (rc <= 0)
        return rc;
    r->w->step_s = grid.step_s;
    rc = line_make(r->w, &grid, measure);
    if (rc == 0 && (measure == LMT_READ_BYTES || measure == LMT_WRITE_BYTES))
        rc = targets_add(r, &grid, measure);
    return rc < 0 ? err_set(err, -rc, "%s", strerror(-rc)) : 0;
}

/* ---- other days ---- */

int64_t weather_shift_s(const struct zone *zone, int64_t from_s, int64_t days)
{
    if (!zone)
        return days * DAY_S;
    int64_t from_ns = from_s * NS_PER_S;
    int64_t local_ns = from_ns + zone_offset_ns(zone, from_ns);
    return zone_utc_ns(zone, local_ns + days * DAY_S * NS_PER_S) / NS_PER_S - from_s;
}

/* NaN: there is none, or too little of it. */
static int day_mean(const struct reading *r, enum lmt_measure measure, int64_t shift_s,
                    double *ret, struct err *err)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    enum lmt_kind kind = lmt_measure_info(measure)->kind;
    *ret = NAN;
    lmt_grid_init(&grid, r->w->from_s + shift_s, r->w->to_s + shift_s);
    int rc = grid_read(r, measure, &grid, err);
    if (rc <= 0)
        return rc;
    struct sums s = grid_sum(&grid, kind);
    double all = (double)grid.row_count * (double)grid.column_count;
    if ((double)s.cells >= MEASURED_MIN * all)
        *ret = mean_of(&s, &grid, kind);
    return 0;
}

static int day_read(struct reading *r, int64_t shift_s, struct err *err)
{
    struct weather *w = r->w;
    int rc = r->source->get(r->source->arg, w->from_s + shift_s, w->to_s + shift_s,
                            &r->series, &r->count, err);
    for (unsigned m = 0; rc >= 0 && r->count > 0 && m < LMT_MEASURES; m++) {
        double mean = NAN;
        if (w->lines[m].is_known)
            rc = day_mean(r, m, shift_s, &mean, err);
        if (rc >= 0 && !isnan(mean))
            r->days[m][w->lines[m].day_count++] = mean;
    }
    return rc < 0 ? rc : 0;
}

static int days_read(struct reading *r, struct err *err)
{
    struct weather *w = r->w;
    const struct weather_source *source = r->source;
    int64_t days = (w->to_s - w->from_s - 1) / DAY_S + 1;
    int64_t apart = days * DAY_S;
    int64_t before =
        source->first_s < w->from_s ? (w->from_s - source->first_s) / apart + 1 : 0;
    int64_t after = source->end_s > w->to_s ? (source->end_s - w->to_s) / apart + 1 : 0;
    before = before < WEATHER_DAYS_MAX ? before : WEATHER_DAYS_MAX;
    after = after < WEATHER_DAYS_MAX ? after : WEATHER_DAYS_MAX;
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        r->days[m] =
            arena_alloc(&w->arena, (size_t)(before + after + 1) * sizeof(double));
        if (!r->days[m])
            return err_set(err, ENOMEM, "out of memory");
    }
    w->other_days = (size_t)(before + after);
    int rc = 0;
    for (int64_t day = -before; rc == 0 && day <= after; day++)
        rc = day == 0
                 ? 0
                 : day_read(r, weather_shift_s(source->zone, w->from_s, day * days),
                            err);
    for (unsigned m = 0; rc == 0 && m < LMT_MEASURES; m++) {
        (void)numbers_sort(r->days[m], w->lines[m].day_count);
        w->lines[m].days = r->days[m];
    }
    return rc;
}

int weather_read(const struct weather_source *source, int64_t from_s, int64_t to_s,
                 struct weather *ret, struct err *err)
{
    struct weather w = { .from_s = from_s, .to_s = to_s };
    struct reading r = { .source = source, .w = &w };
    if (to_s <= from_s)
        return err_set(err, EINVAL, "a window ends after it begins");
    arena_init(&w.arena, 0);
    int rc = source->get(source->arg, from_s, to_s, &r.series, &r.count, err);
    for (unsigned m = 0; rc >= 0 && r.count > 0 && m < LMT_MEASURES; m++)
        rc = measure_read(&r, m, err);
    if (rc >= 0 && w.step_s > 0)
        rc = days_read(&r, err);
    hashmap_done(&r.targets);
    if (rc < 0) {
        weather_done(&w);
        return rc;
    }
    targets_end(&w);
    *ret = w;
    return 0;
}

void weather_done(struct weather *weather)
{
    arena_done(&weather->arena);
    *weather = (struct weather){ 0 };
}

struct percentile weather_line_percentile(const struct weather_line *line)
{
    return percentile_of(line->days, line->day_count, line->mean);
}

double weather_bytes(const struct weather *weather)
{
    double all = 0;
    for (size_t i = 0; i < weather->target_count; i++)
        all += weather->targets[i].read + weather->targets[i].written;
    return all;
}
