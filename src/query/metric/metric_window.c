/* SPDX-License-Identifier: Apache-2.0 */
/* metric_window - the samples of one or several levels in a range, where they stand. */
#include "query/metric/metric_window.h"

#include "base/number.h"
#include "query/metric/metric_rate.h"
#include "query/metric/metric_reader.h"

#include <math.h>

/* A grid with more holes than this is given sample by sample. */
#define HOLES_MAX 64
#define RATE_STEPS 4
#define RATE_BEFORE_NS (600 * NS_PER_S) /* of a series without a step */
#define LONG_POINTS (METRIC_POINTS_MAX / 64)

struct window {
    struct metric_reader *reader;
    const struct metric_read_opts *q;
    struct metric_grid grid;
    int64_t step_ns; /* wanted, rounded; 0: as the samples have it */
    bool has_times;  /* a series has no step */
    bool is_rate;    /* of a counter */
    struct metric_result result;
};

static int64_t floor_to(int64_t t_ns, int64_t step_ns, int64_t phase_ns)
{
    int64_t beside = (t_ns - phase_ns) % step_ns;
    return t_ns - beside - (beside < 0 ? step_ns : 0);
}

/* ---- samples ---- */

/* How far before a range the sample may stand that the first rate needs. */
static int64_t rate_from_ns(const struct window *w, const struct level_series *s)
{
    int64_t own_ns = series_step_between(&s->series, w->q->from_ns, w->q->to_ns);
    int64_t length_ns = own_ns > 0 ? RATE_STEPS * own_ns : RATE_BEFORE_NS;
    return w->q->from_ns > length_ns ? w->q->from_ns - length_ns : 0;
}

/* The samples of one series in the range as reader->own; of a counter its rates, where
 * these are wanted. */
static int own_read(struct window *w, const struct level_series *s)
{
    struct metric_times *own = &w->reader->own;
    int64_t from_ns = w->is_rate ? rate_from_ns(w, s) : w->q->from_ns;
    int rc = metric_times_read(&w->grid, s, from_ns, w->q->to_ns, own);
    if (rc < 0 || !w->is_rate)
        return rc;
    rc = metric_reader_reserve_lengths(w->reader, own->count);
    if (rc == 0)
        own->count = metric_rate_make(own->times, own->values, w->reader->lengths_ns,
                                      own->count, w->q->from_ns, &w->result.resets);
    return rc;
}

/* ---- points ---- */

static void answer_points(struct window *w)
{
    struct metric_reader *reader = w->reader;
    w->result.values = reader->sum.values;
    w->result.times = NULL;
    w->result.count = reader->sum.count;
    w->result.from_ns = w->grid.from_ns;
    w->result.step_ns = w->grid.step_ns;
    w->result.to_ns = w->grid.from_ns + (int64_t)reader->sum.count * w->grid.step_ns;
}

static void answer_times(struct window *w)
{
    const struct metric_times *own = &w->reader->own;
    w->result.values = own->values;
    w->result.times = own->times;
    w->result.count = own->count;
    w->result.step_ns = 0;
    if (own->count)
        w->result.from_ns = own->times[0];
    w->result.to_ns = own->count ? own->times[own->count - 1] + 1 : w->result.from_ns;
}

/* The grid that covers the range, with its points at whole steps beside phase_ns. */
static void set_grid(struct window *w, int64_t step_ns, int64_t phase_ns)
{
    int64_t from_ns = floor_to(w->q->from_ns, step_ns, phase_ns);
    w->grid.step_ns = step_ns;
    metric_grid_set(&w->grid, from_ns, w->q->to_ns);
}

/* What is missing before the first number goes. */
static void cut_front(struct window *w, struct metric_points *points)
{
    size_t first = 0;
    while (first < points->count && isnan(points->values[first]))
        first++;
    if (first == 0)
        return; /* and where there is no point, there may be no buffer */
    memmove(points->values, points->values + first,
            (points->count - first) * sizeof *points->values);
    points->count -= first;
    w->grid.from_ns += (int64_t)first * w->grid.step_ns;
}

/* ---- one series ---- */

/* All on one grid, with no more holes than it is worth. */
static bool is_regular(const struct metric_times *own, int64_t step_ns)
{
    if (own->count == 0 || step_ns == 0)
        return step_ns != 0;
    for (size_t i = 1; i < own->count; i++) {
        int64_t distance = own->times[i] - own->times[i - 1];
        if (distance <= 0 || distance % step_ns != 0)
            return false;
    }
    size_t points =
        (size_t)((own->times[own->count - 1] - own->times[0]) / step_ns) + 1;
    return points <= METRIC_POINTS_MAX && points / HOLES_MAX <= own->count;
}

static int put_on_grid(struct window *w)
{
    const struct metric_times *own = &w->reader->own;
    struct metric_points *points = &w->reader->sum;
    int rc = 0;
    points->count = 0;
    w->grid.from_ns = own->count ? own->times[0] : w->result.from_ns;
    for (size_t i = 0; rc == 0 && i < own->count; i++) {
        size_t k = (size_t)((own->times[i] - own->times[0]) / w->grid.step_ns);
        rc = metric_points_extend(points, k + 1);
        if (rc == 0)
            points->values[k] = own->values[i];
    }
    return rc;
}

/* Of the samples first .. end of own. */
static double own_mean(const struct window *w, size_t first, size_t end)
{
    return metric_rate_mean(w->reader->own.values + first,
                            w->is_rate ? w->reader->lengths_ns + first : NULL,
                            end - first);
}

/* The samples in own become the means of the pieces that have any, at the beginning of
 * their piece: a range may begin and have gaps that are no piece's. */
static void make_means(struct window *w)
{
    struct metric_times *own = &w->reader->own;
    size_t count = 0;
    for (size_t i = 0; i < own->count;) {
        int64_t begin_ns = floor_to(own->times[i], w->step_ns, 0);
        size_t first = i;
        while (i < own->count && own->times[i] - begin_ns < w->step_ns)
            i++;
        own->times[count] = begin_ns;
        own->values[count++] = own_mean(w, first, i);
    }
    own->count = count;
    w->grid.step_ns = w->step_ns;
    w->result.from_ns = floor_to(w->result.from_ns, w->step_ns, 0);
}

/* Those samples that draw the line.  Gaps are none of its business: what is there keeps
 * its time. */
static void choose_samples(struct window *w, int64_t own_ns)
{
    struct metric_times *own = &w->reader->own;
    size_t factor = own_ns > 0 ? (size_t)(w->step_ns / own_ns) : 1;
    if (factor < 2 || own->count / factor < 3)
        return;
    own->count = metric_resample_times(own->values, own->times, own->count, factor);
}

static int read_single(struct window *w)
{
    const struct metric_read_opts *q = w->q;
    struct metric_reader *reader = w->reader;
    const struct level_series *s = reader->series[0];
    int64_t own_ns = series_step_between(&s->series, q->from_ns, q->to_ns);
    int rc = 0;
    w->result.contributors_min = w->result.contributors_max = 1;
    w->result.from_ns = w->result.to_ns = q->from_ns;
    w->result.step_ns = own_ns;
    w->result.sources = METRIC_FROM_MEMORY;
    if (q->want & METRIC_WANT_STATS && !w->is_rate) {
        struct series_stats stats;
        rc = metric_store_stats(reader->store, s, q->from_ns, q->to_ns, &stats);
        w->result.numbers =
            (struct metric_numbers){ stats.count, stats.min, stats.max, stats.sum };
    }
    /* A result without points begins where they would. */
    if (rc >= 0)
        rc = metric_first_number(reader->store, s, q->from_ns, &w->result.from_ns);
    if (rc < 0 || (!(q->want & METRIC_WANT_DATA) && !w->is_rate))
        return rc < 0 ? rc : 0;
    w->grid.step_ns = own_ns;
    rc = own_read(w, s);
    w->result.sources = w->grid.sources ? w->grid.sources : METRIC_FROM_MEMORY;
    w->result.unreadable = w->grid.unreadable;
    if (rc < 0)
        return rc;
    if (w->is_rate)
        metric_numbers_count(reader->own.values, reader->own.count, &w->result.numbers);
    if (w->step_ns > own_ns && q->resampling == RESAMPLE_AVERAGE)
        make_means(w);
    else if (w->step_ns > own_ns)
        choose_samples(w, own_ns);
    if (!is_regular(&reader->own, w->grid.step_ns)) {
        answer_times(w);
        return 0;
    }
    rc = put_on_grid(w);
    answer_points(w);
    return rc;
}

/* ---- several series ---- */

/* Where all of them stand within a step; 0: not on one grid. */
static int64_t common_phase(const struct window *w, int64_t step_ns)
{
    int64_t phase_ns = -1;
    for (size_t i = 0; i < w->reader->series_count; i++) {
        const struct metric_series *s = &w->reader->series[i]->series;
        int64_t last_ns = series_last_ns(s);
        if (last_ns == INT64_MIN)
            continue;
        int64_t own_ns = last_ns - floor_to(last_ns, step_ns, 0);
        if (series_grid_ns(s) != step_ns || (phase_ns >= 0 && own_ns != phase_ns))
            return 0;
        phase_ns = own_ns;
    }
    return phase_ns < 0 ? 0 : phase_ns;
}

/* Only samples of the range itself, on a grid that may reach over it. */
static int read_child(struct window *w, const struct level_series *s)
{
    struct metric_reader *reader = w->reader;
    const struct metric_times *own = &reader->own;
    struct metric_points *points = &reader->child;
    int rc = own_read(w, s);
    points->count = 0;
    for (size_t i = 0; rc == 0 && i < own->count;) {
        size_t k = (size_t)((own->times[i] - w->grid.from_ns) / w->grid.step_ns);
        int64_t end_ns = w->grid.from_ns + (int64_t)(k + 1) * w->grid.step_ns;
        size_t first = i;
        while (i < own->count && own->times[i] < end_ns)
            i++;
        rc = metric_points_extend(points, k + 1);
        if (rc == 0)
            points->values[k] = own_mean(w, first, i);
    }
    return rc;
}

/* Points of the sums as the means of longer pieces.  The first number may be far behind
 * the range's beginning: the pieces begin with it, so that none is written before what
 * it is made of was read. */
static int lengthen(struct window *w)
{
    struct metric_points *points = &w->reader->sum;
    struct metric_grid before = w->grid;
    size_t count = points->count, filled = 0;
    w->grid.step_ns = w->step_ns;
    metric_grid_set(&w->grid, floor_to(before.from_ns, w->step_ns, 0), w->q->to_ns);
    for (size_t i = 0; i < count;) {
        int64_t t_ns = before.from_ns + (int64_t)i * before.step_ns;
        size_t k = (size_t)((t_ns < w->grid.from_ns ? 0 : t_ns - w->grid.from_ns) /
                            w->step_ns);
        int64_t end_ns = w->grid.from_ns + (int64_t)(k + 1) * w->step_ns;
        double sum = 0;
        size_t n = 0;
        for (; i < count && t_ns < end_ns; i++, t_ns += before.step_ns) {
            n += !isnan(points->values[i]);
            sum += isnan(points->values[i]) ? 0 : points->values[i];
        }
        for (; filled < k; filled++) /* never beyond what was read */
            points->values[filled] = bits_double(MISSING_BITS);
        points->values[filled++] = n ? sum / (double)n : bits_double(MISSING_BITS);
    }
    points->count = filled;
    cut_front(w, points);
    return 0;
}

/* Of a long range the grid begins at the first number: there may be years before it.
 * Of a short one points that are missing cost less than looking for it. */
static int skip_to_first(struct window *w)
{
    int64_t first_ns = INT64_MAX;
    if (w->grid.count <= LONG_POINTS)
        return 0;
    for (size_t i = 0; i < w->reader->series_count; i++) {
        int64_t t_ns = INT64_MAX;
        int rc = metric_reader_watched(w->reader);
        if (rc == 0)
            rc = metric_first_number(w->reader->store, w->reader->series[i],
                                     w->q->from_ns, &t_ns);
        if (rc < 0)
            return rc;
        if (rc == METRIC_IS_THERE && t_ns < first_ns)
            first_ns = t_ns;
    }
    if (first_ns >= w->q->to_ns) /* there is none in the range */
        return 0;
    metric_grid_set(&w->grid,
                    w->grid.from_ns +
                        floor_to(first_ns - w->grid.from_ns, w->grid.step_ns, 0),
                    w->q->to_ns);
    return 0;
}

static int read_several(struct window *w)
{
    struct metric_reader *reader = w->reader;
    int64_t step_ns = 0;
    size_t known = 0;
    for (size_t i = 0; i < reader->series_count; i++) {
        int64_t own_ns =
            series_step_between(&reader->series[i]->series, w->q->from_ns, w->q->to_ns);
        step_ns = own_ns > step_ns ? own_ns : step_ns;
        w->has_times |= own_ns == 0;
    }
    if (w->has_times && w->step_ns > step_ns)
        step_ns = w->step_ns;
    if (step_ns == 0)
        return -EDOM;
    set_grid(w, step_ns, w->has_times ? 0 : common_phase(w, step_ns));
    int rc = skip_to_first(w);
    reader->sum.count = 0;
    for (size_t i = 0; rc == 0 && i < reader->series_count; i++) {
        rc = metric_reader_watched(reader);
        if (rc == 0)
            rc = read_child(w, reader->series[i]);
        if (rc == 0)
            rc = metric_points_extend(&reader->sum, reader->child.count);
        if (rc == 0)
            rc = metric_reader_reserve(reader, &known, reader->sum.count);
        if (rc == 0)
            metric_reader_add_child(reader);
    }
    if (rc < 0)
        return rc;
    metric_reader_finish_sum(reader, w->q, &w->result);
    cut_front(w, &reader->sum);
    if (w->q->want & METRIC_WANT_STATS)
        metric_numbers_count(reader->sum.values, reader->sum.count, &w->result.numbers);
    if (w->step_ns > step_ns)
        rc = lengthen(w);
    w->result.sources = w->grid.sources ? w->grid.sources : METRIC_FROM_MEMORY;
    w->result.unreadable = w->grid.unreadable;
    answer_points(w);
    return rc;
}

/* ---- the whole ---- */

/* The longest step of the series; 0: none has one. */
static int64_t samples_step(const struct window *w)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < w->reader->series_count; i++) {
        int64_t step_ns = series_step_between(&w->reader->series[i]->series,
                                              w->q->from_ns, w->q->to_ns);
        longest_ns = step_ns > longest_ns ? step_ns : longest_ns;
    }
    return longest_ns;
}

/* Up to a multiple of the longest step that the samples have. */
static int64_t rounded_step(const struct window *w)
{
    int64_t own_ns = samples_step(w), wanted_ns = w->q->resolution_ns;
    int64_t beside_ns = own_ns && wanted_ns > own_ns ? wanted_ns % own_ns : 0;
    return wanted_ns + (beside_ns ? own_ns - beside_ns : 0);
}

int metric_window_read(struct metric_reader *reader,
                       const struct metric_read_opts *opts, struct metric_result *ret,
                       struct err *err)
{
    struct window w = { .reader = reader,
                        .q = opts,
                        .grid.store = reader->store,
                        .is_rate = opts->counters == METRIC_COUNTERS_RATE &&
                                   opts->metric->kind == METRIC_COUNTER };
    if (opts->from_ns > opts->to_ns || opts->from_ns < 0)
        return err_set(err, EINVAL, "the range ends before it begins");
    int rc = metric_reader_find(reader, opts);
    if (rc < 0)
        return rc;
    if (reader->series_count > 1 && opts->aggregation == AGGREGATE_NONE)
        return err_set(err, EINVAL, "invalid aggregation");
    w.result.series_count = reader->series_count;
    w.step_ns = rounded_step(&w);
    rc = reader->series_count == 1 ? read_single(&w) : read_several(&w);
    if (rc == -EDOM)
        return err_set(err, EINVAL, "the metric has no step of its own: request one");
    if (rc == -EMSGSIZE)
        return err_set(err, EMSGSIZE, "more than %zu points", METRIC_POINTS_MAX);
    if (rc < 0)
        return rc;
    if (!(opts->want & METRIC_WANT_DATA)) {
        w.result.values = NULL;
        w.result.times = NULL;
        w.result.step_ns = samples_step(&w);
    }
    *ret = w.result;
    return 0;
}
