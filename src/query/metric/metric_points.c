/* SPDX-License-Identifier: Apache-2.0 */
/* metric_points - the samples of one series by their place on a grid. */
#include "query/metric/metric_points.h"

#include "base/number.h"

#include <errno.h>
#include <math.h>

#define NEAR_STEPS 4 /* where to look first for a neighbour of a grid */
#define VALUES_MIN 512
#define PEER_BUFFER_STEPS 512
/* Walked over; those behind are not read from the peer. */
#define PEER_BUFFERS_MAX 4096

void metric_grid_set(struct metric_grid *grid, int64_t from_ns, int64_t to_ns)
{
    grid->from_ns = from_ns;
    grid->to_ns = to_ns;
    /* From before 0 to the end of time is more than an int64_t holds. */
    uint64_t length_ns = (uint64_t)to_ns - (uint64_t)from_ns;
    grid->count = to_ns > from_ns ? (length_ns - 1) / (uint64_t)grid->step_ns + 1 : 0;
}

/* Samples from here on belong to point 0. */
static int64_t low_ns(const struct metric_grid *grid)
{
    return grid->from_ns - grid->step_ns / 2 + 1;
}

static int64_t add_steps(const struct metric_grid *grid, int64_t t_ns, size_t count)
{
    int64_t size;
    if (__builtin_mul_overflow(count, grid->step_ns, &size) ||
        __builtin_add_overflow(t_ns, size, &size))
        return INT64_MAX;
    return size;
}

/* Where the samples of its last point end. */
static int64_t high_ns(const struct metric_grid *grid)
{
    return add_steps(grid, low_ns(grid), grid->count);
}

static int reserve(struct metric_points *points, size_t size)
{
    if (size <= points->capacity)
        return 0;
    if (size > METRIC_POINTS_MAX)
        return -EMSGSIZE;
    size_t capacity = points->capacity ? points->capacity : VALUES_MIN;
    while (capacity < size)
        capacity *= 2;
    double *grown = reallocarray(points->values, capacity, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    points->values = grown;
    points->capacity = capacity;
    return 0;
}

int metric_points_extend(struct metric_points *points, size_t count)
{
    int rc = reserve(points, count);
    if (rc < 0)
        return rc;
    for (size_t i = points->count; i < count; i++)
        points->values[i] = bits_double(MISSING_BITS);
    if (count > points->count)
        points->count = count;
    return 0;
}

struct filling {
    struct metric_points *points;
    int64_t low_ns, step_ns;
    bool is_grid; /* the series has the step of the grid */
};

static int take_each(struct filling *f, const int64_t *times, const double *values,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = (size_t)((times[i] - f->low_ns) / f->step_ns);
        int rc = k < f->points->count ? 0 : metric_points_extend(f->points, k + 1);
        if (rc < 0)
            return rc;
        if (!isnan(values[i]))
            f->points->values[k] = values[i];
    }
    return 0;
}

/* Of a time when the step was shorter: what lies next to each other in one point is its
 * mean. */
static int take_finer(struct filling *f, const int64_t *times, const double *values,
                      size_t count)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count;) {
        size_t k = (size_t)((times[i] - f->low_ns) / f->step_ns), n = 0;
        int64_t end_ns = f->low_ns + (int64_t)(k + 1) * f->step_ns;
        double sum = 0;
        for (; i < count && times[i] < end_ns; i++) {
            n += !isnan(values[i]);
            sum += isnan(values[i]) ? 0 : values[i];
        }
        if (n > 0 && k >= f->points->count)
            rc = metric_points_extend(f->points, k + 1);
        if (n > 0 && rc == 0)
            f->points->values[k] = sum / (double)n;
    }
    return rc;
}

static int take_samples(void *arg, const int64_t *times, const double *values,
                        size_t count)
{
    struct filling *f = arg;
    size_t first = (size_t)((times[0] - f->low_ns) / f->step_ns);
    size_t last = (size_t)((times[count - 1] - f->low_ns) / f->step_ns);
    int64_t all_ns = (int64_t)(count - 1) * f->step_ns;
    if (times[count - 1] - times[0] < all_ns)
        return take_finer(f, times, values, count);
    /* A whole run of neighbouring slots. */
    if (!f->is_grid || times[count - 1] - times[0] != all_ns ||
        first < f->points->count)
        return take_each(f, times, values, count);
    int rc = metric_points_extend(f->points, first);
    if (rc == 0)
        rc = reserve(f->points, last + 1);
    if (rc < 0)
        return rc;
    memcpy(f->points->values + first, values, count * sizeof *values);
    f->points->count = last + 1;
    return 0;
}

int metric_points_read(struct metric_grid *grid, const struct level_series *series,
                       struct metric_points *points)
{
    struct filling f = { points, low_ns(grid), grid->step_ns,
                         series_grid_ns(&series->series) == grid->step_ns };
    struct metric_range range = { f.low_ns, high_ns(grid), take_samples, &f };
    struct metric_read read = { 0 };
    points->count = 0;
    if (grid->count == 0)
        return 0;
    int rc = metric_store_read(grid->store, series, &range, &read);
    grid->sources |= read.from;
    grid->unreadable += read.unreadable;
    return rc;
}

/* ---- samples that are on no grid ---- */

/* Of the numbers of point k. */
struct averaging {
    struct metric_points *points;
    int64_t from_ns, step_ns;
    size_t k, count;
    double sum;
};

static int finish_mean(struct averaging *a)
{
    if (a->count == 0)
        return 0;
    int rc = metric_points_extend(a->points, a->k + 1);
    if (rc == 0)
        a->points->values[a->k] = a->sum / (double)a->count;
    a->count = 0;
    a->sum = 0;
    return rc;
}

static int take_mean(void *arg, const int64_t *times, const double *values,
                     size_t count)
{
    struct averaging *a = arg;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            continue;
        size_t k = (size_t)((times[i] - a->from_ns) / a->step_ns);
        int rc = k != a->k ? finish_mean(a) : 0;
        if (rc < 0)
            return rc;
        a->k = k;
        a->count++;
        a->sum += values[i];
    }
    return 0;
}

int metric_points_mean(struct metric_grid *grid, const struct level_series *series,
                       struct metric_points *points)
{
    struct averaging a = { points, grid->from_ns, grid->step_ns, 0, 0, 0 };
    struct metric_range range = { grid->from_ns,
                                  add_steps(grid, grid->from_ns, grid->count),
                                  take_mean, &a };
    struct metric_read read = { 0 };
    points->count = 0;
    int rc = metric_store_read(grid->store, series, &range, &read);
    grid->sources |= read.from;
    grid->unreadable += read.unreadable;
    return rc == 0 ? finish_mean(&a) : rc;
}

static int reserve_times(struct metric_times *t, size_t size)
{
    if (size <= t->capacity)
        return 0;
    if (size > METRIC_POINTS_MAX)
        return -EMSGSIZE;
    size_t capacity = size + size / 2 + VALUES_MIN;
    int64_t *times = reallocarray(t->times, capacity, sizeof *times);
    t->times = times ? times : t->times;
    double *values = reallocarray(t->values, capacity, sizeof *values);
    t->values = values ? values : t->values;
    if (!times || !values)
        return -ENOMEM;
    t->capacity = capacity;
    return 0;
}

static int take_times(void *arg, const int64_t *times, const double *values,
                      size_t count)
{
    struct metric_times *t = arg;
    int rc = reserve_times(t, t->count + count);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (isnan(values[i]))
            continue;
        t->times[t->count] = times[i];
        t->values[t->count++] = values[i];
    }
    return rc;
}

int metric_times_read(struct metric_grid *grid, const struct level_series *series,
                      int64_t from_ns, int64_t to_ns, struct metric_times *ret)
{
    struct metric_range range = { from_ns, to_ns, take_times, ret };
    struct metric_read read = { 0 };
    ret->count = 0;
    int rc = metric_store_read(grid->store, series, &range, &read);
    grid->sources |= read.from;
    grid->unreadable += read.unreadable;
    return rc;
}

/* ---- what lies beside a grid ---- */

static int take_first(void *arg, const int64_t *times, const double *values,
                      size_t count)
{
    (void)values, (void)count;
    *(int64_t *)arg = times[0];
    return METRIC_IS_THERE;
}

static int find_first(const struct metric_grid *grid, const struct level_series *series,
                      int64_t from_ns, int64_t to_ns, int64_t *ret_ns)
{
    struct metric_range range = { from_ns, to_ns, take_first, ret_ns };
    struct metric_read read;
    return from_ns < to_ns ? metric_store_read(grid->store, series, &range, &read) : 0;
}

/* So many steps before t_ns, or the beginning of time. */
static int64_t near_before(const struct metric_grid *grid, int64_t t_ns)
{
    int64_t distance = add_steps(grid, 0, NEAR_STEPS);
    return distance > t_ns ? 0 : t_ns - distance;
}

int metric_grid_begin(const struct metric_grid *grid, const struct level_series *series,
                      int64_t from_ns, int64_t *ret_ns)
{
    int64_t first_ns = from_ns;
    int64_t near = near_before(grid, from_ns);
    int rc = find_first(grid, series, near, from_ns, &first_ns);
    if (rc == 0)
        rc = find_first(grid, series, 0, near, &first_ns);
    if (rc == METRIC_IS_THERE)
        *ret_ns = from_ns;
    return rc == 0 ? find_first(grid, series, from_ns, INT64_MAX, ret_ns) : rc;
}

static int take_first_number(void *arg, const int64_t *times, const double *values,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            continue;
        *(int64_t *)arg = times[i];
        return METRIC_IS_THERE;
    }
    return 0;
}

int metric_first_number(struct metric_store *store, const struct level_series *series,
                        int64_t from_ns, int64_t *ret_ns)
{
    struct metric_range range = { from_ns, INT64_MAX, take_first_number, ret_ns };
    struct metric_read read;
    return metric_store_read(store, series, &range, &read);
}

/* Where the buffer begins half a step after whose beginning a sample stands. */
static int64_t buffer_start(const struct metric_grid *grid, int64_t sample_ns)
{
    int64_t half_ns = grid->step_ns / 2;
    if (grid->step_ns % NS_PER_S == 0) /* there in whole seconds */
        half_ns -= half_ns % NS_PER_S;
    return sample_ns - half_ns;
}

/* From the first sample of the series on: the next buffer begins with the first sample
 * that has no place in the one before. */
int metric_grid_goes_on(const struct metric_grid *grid,
                        const struct level_series *series, size_t count)
{
    int64_t high = high_ns(grid), next_ns = high, first_ns = 0, end_ns = 0;
    int rc = metric_first_number(grid->store, series, high, &next_ns);
    if (rc == METRIC_IS_THERE)
        rc = metric_first_number(grid->store, series, 0, &first_ns);
    for (size_t i = 0; rc == METRIC_IS_THERE && first_ns < high; i++) {
        end_ns = add_steps(grid, buffer_start(grid, first_ns), PEER_BUFFER_STEPS);
        if (next_ns < end_ns || i == PEER_BUFFERS_MAX)
            return METRIC_IS_THERE;
        rc = metric_first_number(grid->store, series, end_ns, &first_ns);
    }
    bool is_there = buffer_start(grid, next_ns) < grid->to_ns ||
                    add_steps(grid, grid->from_ns, count) >= end_ns;
    return rc == METRIC_IS_THERE && is_there ? METRIC_IS_THERE : rc < 0 ? rc : 0;
}

static int take_last(void *arg, const int64_t *times, const double *values,
                     size_t count)
{
    (void)values;
    *(int64_t *)arg = times[count - 1];
    return 0;
}

int metric_grid_count(const struct metric_grid *grid, const struct level_series *series,
                      size_t *ret)
{
    int64_t low = low_ns(grid), high = high_ns(grid), last_ns = INT64_MIN;
    int64_t near = near_before(grid, high);
    struct metric_range range = { near < low ? low : near, high, take_last, &last_ns };
    struct metric_read read;
    int rc = metric_store_read(grid->store, series, &range, &read);
    if (rc < 0 || last_ns == INT64_MIN)
        return rc;
    *ret = (size_t)((last_ns - low) / grid->step_ns) + 1;
    if (*ret < grid->count)
        rc = metric_grid_goes_on(grid, series, *ret);
    if (rc == METRIC_IS_THERE)
        *ret = grid->count;
    return rc < 0 ? rc : METRIC_IS_THERE;
}

int metric_grid_stats(const struct metric_grid *grid, const struct level_series *series,
                      struct series_stats *ret)
{
    struct series_stats stats;
    int rc =
        metric_store_stats(grid->store, series, low_ns(grid), high_ns(grid), &stats);
    if (rc < 0 || stats.contention > 0)
        return rc;
    *ret = stats;
    return METRIC_IS_THERE;
}

/* ---- all in one reading ---- */

struct whole_reading {
    struct metric_grid *grid;
    const struct level_series *series;
    int64_t from_ns, to_ns; /* as requested */
    struct filling filling;
    int64_t high_ns;
    bool has_begun; /* the grid is set */
};

/* The first sample that was found stands at t_ns. */
static int begin_whole(struct whole_reading *w, int64_t t_ns)
{
    int64_t begin_ns = w->from_ns, older_ns = 0;
    if (t_ns >= w->from_ns) {
        int64_t near = near_before(w->grid, w->from_ns);
        int rc = find_first(w->grid, w->series, 0, near, &older_ns);
        if (rc < 0)
            return rc;
        begin_ns = rc == METRIC_IS_THERE ? w->from_ns : t_ns;
    }
    metric_grid_set(w->grid, begin_ns, w->to_ns);
    w->filling.low_ns = low_ns(w->grid);
    w->high_ns = high_ns(w->grid);
    w->has_begun = true;
    return 0;
}

static int take_whole(void *arg, const int64_t *times, const double *values,
                      size_t count)
{
    struct whole_reading *w = arg;
    int rc = w->has_begun ? 0 : begin_whole(w, times[0]);
    if (rc < 0)
        return rc;
    while (count > 0 && times[0] < w->filling.low_ns) {
        times++;
        values++;
        count--;
    }
    while (count > 0 && times[count - 1] >= w->high_ns)
        count--;
    return count > 0 ? take_samples(&w->filling, times, values, count) : 0;
}

int metric_points_read_whole(struct metric_grid *grid,
                             const struct level_series *series, int64_t from_ns,
                             int64_t to_ns, struct metric_points *points)
{
    struct whole_reading w = {
        .grid = grid,
        .series = series,
        .from_ns = from_ns,
        .to_ns = to_ns,
        .filling = { .points = points,
                     .step_ns = grid->step_ns,
                     .is_grid = series_grid_ns(&series->series) == grid->step_ns },
    };
    struct metric_range range = { near_before(grid, from_ns),
                                  add_steps(grid, to_ns, NEAR_STEPS), take_whole, &w };
    struct metric_read read = { 0 };
    points->count = 0;
    int rc = metric_store_read(grid->store, series, &range, &read);
    if (rc < 0)
        return rc;
    grid->sources |= read.from;
    grid->unreadable += read.unreadable;
    /* Nothing there: then everything is older or newer, if there is anything. */
    if (!w.has_begun) {
        int64_t begin_ns = from_ns;
        rc = metric_grid_begin(grid, series, from_ns, &begin_ns);
        if (rc != METRIC_IS_THERE)
            return rc < 0 ? rc : -ENOENT;
        metric_grid_set(grid, begin_ns, to_ns);
    }
    if (points->count >= grid->count)
        return 0;
    rc = metric_grid_goes_on(grid, series, points->count);
    return rc == METRIC_IS_THERE ? metric_points_extend(points, grid->count) : rc;
}
