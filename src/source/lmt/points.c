/* SPDX-License-Identifier: Apache-2.0 */
/* points - measures out of any text or table, one value at a time, made into a series.
 */
#include "source/lmt/points.h"

#include "base/hashmap.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "source/lmt/counter.h"
#include "source/lmt/series_format.h"
#include "source/lmt/step.h"

#include <math.h>

struct point {
    int64_t t_s;
    double value;
};

/* One component's values of one measure. */
struct column {
    enum lmt_measure measure;
    enum lmt_point_kind kind;
    bool is_ordered; /* by time */
    char *name;
    struct point *points;
    size_t count;
    size_t capacity;
};

struct lmt_points {
    struct hashmap index; /* measure and name -> position + 1 */
    struct column *columns;
    size_t column_count;
    size_t column_capacity;
    size_t column_counts[LMT_MEASURES];
    size_t point_count;
    struct strbuf key;
    bool is_ready; /* the steps are known, the columns in order */
    int64_t steps_s[LMT_MEASURES];
};

int lmt_points_new(struct lmt_points **ret)
{
    struct lmt_points *points = calloc(1, sizeof *points);
    if (!points)
        return -ENOMEM;
    *ret = points;
    return 0;
}

void lmt_points_free(struct lmt_points *points)
{
    if (!points)
        return;
    for (size_t i = 0; i < points->column_count; i++) {
        free(points->columns[i].name);
        free(points->columns[i].points);
    }
    free(points->columns);
    hashmap_done(&points->index);
    strbuf_done(&points->key);
    free(points);
}

size_t lmt_points_count(const struct lmt_points *points)
{
    return points->point_count;
}

static int no_memory(struct err *err)
{
    return err_set(err, ENOMEM, "out of memory");
}

static int column_make(struct lmt_points *p, enum lmt_measure measure,
                       enum lmt_point_kind kind, struct span name, uintptr_t *at)
{
    if (p->column_count == p->column_capacity) {
        size_t capacity = p->column_capacity ? 2 * p->column_capacity : 64;
        struct column *columns = reallocarray(p->columns, capacity, sizeof *columns);
        if (!columns)
            return -ENOMEM;
        p->columns = columns;
        p->column_capacity = capacity;
    }
    char *copy = span_dup(name);
    if (!copy)
        return -ENOMEM;
    p->columns[p->column_count++] = (struct column){
        .measure = measure, .kind = kind, .is_ordered = true, .name = copy
    };
    p->column_counts[measure]++;
    *at = p->column_count;
    return 0;
}

static int column_find(struct lmt_points *p, enum lmt_measure measure,
                       enum lmt_point_kind kind, struct span name, struct column **ret,
                       struct err *err)
{
    strbuf_clear(&p->key);
    strbuf_addc(&p->key, (char)measure);
    strbuf_add_span(&p->key, name);
    if (strbuf_error(&p->key) < 0)
        return no_memory(err);
    const uintptr_t *known = hashmap_get(&p->index, strbuf_span(&p->key));
    if (!known && p->column_counts[measure] == LMT_COLUMNS_MAX)
        return err_set(err, EFBIG, "over %zu components", LMT_COLUMNS_MAX);
    uintptr_t *at = hashmap_put(&p->index, strbuf_span(&p->key), NULL);
    if (!at || (*at == 0 && column_make(p, measure, kind, name, at) < 0))
        return no_memory(err);
    *ret = &p->columns[*at - 1];
    return 0;
}

int lmt_points_add(struct lmt_points *points, enum lmt_measure measure,
                   enum lmt_point_kind kind, struct span component, int64_t t_s,
                   double value, struct err *err)
{
    const int64_t far_s = INT64_MAX / 4;
    struct column *c = NULL;
    if (!isfinite(value) || (value < 0 && kind > LMT_POINT_GAUGE_END) || t_s > far_s ||
        t_s < -far_s)
        return 0;
    int rc = column_find(points, measure, kind, component, &c, err);
    if (rc < 0)
        return rc;
    if (points->point_count == LMT_POINTS_MAX)
        return err_set(err, EFBIG, "over %zu values", LMT_POINTS_MAX);
    if (c->count == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 16;
        struct point *grown = reallocarray(c->points, capacity, sizeof *grown);
        if (!grown)
            return no_memory(err);
        c->points = grown;
        c->capacity = capacity;
    }
    if (c->count > 0 && t_s < c->points[c->count - 1].t_s)
        c->is_ordered = false;
    c->points[c->count++] = (struct point){ t_s, value };
    points->point_count++;
    points->is_ready = false;
    return 0;
}

/* ---- order and steps, once all is there ---- */

/* A merge of neighbouring runs: values of one time stay in the order they came in,
 * since the later one holds. */
static void merge(struct point *points, size_t middle, size_t count, struct point *room)
{
    size_t left = 0, right = middle, out = 0;
    while (left < middle && right < count)
        room[out++] =
            points[right].t_s < points[left].t_s ? points[right++] : points[left++];
    while (left < middle)
        room[out++] = points[left++];
    memcpy(points, room, out * sizeof *points);
}

static int column_order(struct column *c)
{
    if (c->is_ordered)
        return 0;
    struct point *room = calloc(c->count, sizeof *room);
    if (!room)
        return -ENOMEM;
    for (size_t size = 1; size < c->count; size *= 2)
        for (size_t at = 0; at + size < c->count; at += 2 * size) {
            size_t rest = c->count - at;
            merge(c->points + at, size, rest < 2 * size ? rest : 2 * size, room);
        }
    free(room);
    c->is_ordered = true;
    return 0;
}

/* The distance that most neighbours have, over the components of a measure. */
static int step_find(struct lmt_points *p, enum lmt_measure measure)
{
    size_t count = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < p->column_count; i++)
        count += p->columns[i].measure == measure ? p->columns[i].count : 0;
    AUTO_FREE int64_t *marks = calloc(2 * count + 1, sizeof *marks);
    if (!marks)
        return -ENOMEM;
    /* lmt_step_of() wants times: distances are put one behind the other, so that it
     * finds them again between neighbours. */
    size_t out = 0;
    marks[out++] = 0;
    for (size_t i = 0; i < p->column_count; i++) {
        const struct column *c = &p->columns[i];
        for (size_t k = 1; c->measure == measure && k < c->count; k++) {
            int64_t distance = c->points[k].t_s - c->points[k - 1].t_s;
            if (distance <= 0 || distance > LMT_STEP_S_MAX)
                continue;
            sum += distance;
            marks[out++] = sum;
        }
    }
    p->steps_s[measure] = lmt_step_of(marks, out);
    return 0;
}

static int make_ready(struct lmt_points *p, struct err *err)
{
    for (size_t i = 0; i < p->column_count; i++)
        if (column_order(&p->columns[i]) < 0)
            return no_memory(err);
    for (unsigned m = 0; m < LMT_MEASURES; m++)
        if (step_find(p, m) < 0)
            return no_memory(err);
    p->is_ready = true;
    return 0;
}

/* ---- as a series ---- */

/* The step that a time is nearest to: they begin with the component's first time. */
static int64_t slot_of(const struct column *c, int64_t t_s, int64_t step_s)
{
    int64_t from_first_s = t_s - c->points[0].t_s;
    return c->points[0].t_s + (from_first_s + step_s / 2) / step_s * step_s;
}

static bool is_of_end(enum lmt_point_kind kind)
{
    return kind == LMT_POINT_GAUGE_END || kind == LMT_POINT_COUNT_END ||
           kind == LMT_POINT_RATE_END;
}

static void put(struct lmt_grid *grid, size_t column, int64_t t_s, double value)
{
    int64_t row = lmt_grid_row(grid, t_s);
    if (row >= 0)
        *lmt_grid_at(grid, (size_t)row, column) = value;
}

static void counter_read(const struct column *c, int64_t step_s, struct lmt_grid *grid,
                         size_t at)
{
    struct lmt_counter counter = { 0 };
    int64_t before_s = INT64_MIN;
    double sum = 0;
    for (size_t i = 0; i < c->count; i++) {
        bool is_again = i > 0 && c->points[i].t_s == c->points[i - 1].t_s;
        double happened =
            is_again ? NAN : lmt_counter_increment(&counter, c->points[i].value);
        if (isnan(happened))
            continue;
        /* Two samples may be nearest to one step: what both say has happened. */
        int64_t t_s = slot_of(c, c->points[i].t_s, step_s) - step_s;
        sum = t_s == before_s ? sum + happened : happened;
        before_s = t_s;
        put(grid, at, t_s, sum);
    }
}

static void column_read(const struct column *c, int64_t step_s, struct lmt_grid *grid,
                        size_t at)
{
    double scale =
        c->kind == LMT_POINT_RATE || c->kind == LMT_POINT_RATE_END ? (double)step_s : 1;
    int64_t shift_s = is_of_end(c->kind) ? step_s : 0;
    if (c->kind == LMT_POINT_COUNTER) {
        counter_read(c, step_s, grid, at);
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        double value =
            c->points[i].value * scale; /* which may be beyond every number */
        if (isfinite(value))
            put(grid, at, slot_of(c, c->points[i].t_s, step_s) - shift_s, value);
    }
}

static int points_times(void *state, enum lmt_measure measure, int64_t *ret_from_s,
                        int64_t *ret_to_s, struct err *err)
{
    struct lmt_points *p = state;
    int64_t from_s = INT64_MAX, to_s = INT64_MIN;
    int rc = p->is_ready ? 0 : make_ready(p, err);
    if (rc < 0)
        return rc;
    int64_t step_s = p->steps_s[measure];
    for (size_t i = 0; i < p->column_count && step_s > 0; i++) {
        const struct column *c = &p->columns[i];
        if (c->measure != measure)
            continue;
        int64_t shift_s = is_of_end(c->kind) ? step_s : 0;
        int64_t first_s = c->points[0].t_s - shift_s;
        int64_t last_s = slot_of(c, c->points[c->count - 1].t_s, step_s) - shift_s;
        if (c->kind == LMT_POINT_COUNTER)
            last_s -= step_s;
        from_s = first_s < from_s ? first_s : from_s;
        to_s = last_s > to_s ? last_s : to_s;
    }
    if (to_s < from_s)
        return -ENOENT; /* no times, or a counter that was read once */
    *ret_from_s = from_s;
    *ret_to_s = to_s + step_s;
    return 0;
}

static int points_read(void *state, enum lmt_measure measure, struct lmt_grid *grid,
                       struct err *err)
{
    struct lmt_points *p = state;
    int64_t from_s, to_s;
    int rc = points_times(p, measure, &from_s, &to_s, err);
    if (rc == 0 && (to_s <= grid->from_s || from_s >= grid->to_s))
        return -ENOENT;
    if (rc == 0)
        rc = lmt_grid_shape(grid, p->steps_s[measure], from_s, err);
    if (rc < 0)
        return rc;
    size_t count = 0;
    AUTO_FREE struct span *names = calloc(p->column_count, sizeof *names);
    AUTO_FREE size_t *map = calloc(p->column_count, sizeof *map);
    if (!names || !map)
        return no_memory(err);
    for (size_t i = 0; i < p->column_count; i++)
        if (p->columns[i].measure == measure)
            names[count++] = span_of(p->columns[i].name);
    rc = lmt_grid_columns(grid, names, count, map, err);
    for (size_t i = 0, at = 0; rc == 0 && i < p->column_count; i++)
        if (p->columns[i].measure == measure)
            column_read(&p->columns[i], p->steps_s[measure], grid, map[at++]);
    return rc;
}

static int64_t points_step(void *state, enum lmt_measure measure)
{
    struct lmt_points *p = state;
    return p->is_ready || make_ready(p, NULL) == 0 ? p->steps_s[measure] : 0;
}

static void points_close(void *state)
{
    lmt_points_free(state);
}

int lmt_series_of_points(struct lmt_points *points, const char *format,
                         struct lmt_series **ret, struct err *err)
{
    static const struct lmt_format form = {
        .close = points_close,
        .times = points_times,
        .step = points_step,
        .read = points_read,
    };
    return lmt_series_new(&form, format, points, ret, err);
}
