/* SPDX-License-Identifier: Apache-2.0 */
/* metric_read - one metric of one or several levels, on one grid. */
#include "query/metric/metric_read.h"

#include "base/number.h"
#include "query/metric/metric_reader.h"

#include <inttypes.h>
#include <math.h>

/* What the peer says, so that its clients understand it. */
#define NOT_ALIGNED "[METRICSTORE]> data from lower granularities does not align (%s)"
#define MISSING_FRONT "missing data prior to start of the buffers"
#define MISSING_BACK "missing data after the end of the buffers"
#define NOT_AS_LONG "collected data length is different than expected data length"

/* One question under way. */
struct reading {
    struct metric_reader *reader;
    const struct metric_read_opts *q;
    struct metric_grid grid;
    int64_t resolution_ns; /* of the question, rounded */
    bool has_times;        /* a series has no step */
    struct metric_result result;
    struct err *err;
};

/* The step of the result before it is resampled: that of the samples, which may be
 * another than what the metric has now; of several the longest. */
static int64_t find_step(struct reading *r)
{
    int64_t step_ns = 0;
    for (size_t i = 0; i < r->reader->series_count; i++) {
        int64_t own = series_step_between(&r->reader->series[i]->series, r->q->from_ns,
                                          r->q->to_ns);
        /* Imported from a log alone, it has its times and no step: that of its metric.
         */
        if (own == 0)
            own = step_of_grid(r->q->metric->step_ns);
        step_ns = own > step_ns ? own : step_ns;
        r->has_times |= own == 0;
    }
    return r->has_times && r->q->resolution_ns > step_ns ? r->q->resolution_ns
                                                         : step_ns;
}

/* ---- one series ---- */

/* A result ends with the last sample, or where it was requested when it goes on. */
static int end_points(const struct reading *r, const struct level_series *s,
                      struct metric_points *points)
{
    if (points->count >= r->grid.count)
        return 0;
    int rc = metric_grid_goes_on(&r->grid, s, points->count);
    return rc == METRIC_IS_THERE ? metric_points_extend(points, r->grid.count) : rc;
}

static int read_whole(struct reading *r, const struct level_series *s,
                      struct metric_points *points)
{
    int rc = metric_points_read(&r->grid, s, points);
    return rc == 0 ? end_points(r, s, points) : rc;
}

/* Let the grid begin where it can.  Errors: -ENOENT (no sample at all). */
static int begin(struct reading *r, const struct level_series *s)
{
    int64_t begin_ns;
    int rc = metric_grid_begin(&r->grid, s, r->q->from_ns, &begin_ns);
    if (rc == METRIC_IS_THERE)
        metric_grid_set(&r->grid, begin_ns, r->q->to_ns);
    if (rc == METRIC_IS_THERE)
        return 0;
    return rc < 0 ? rc : -ENOENT;
}

static int read_single(struct reading *r)
{
    int rc = metric_points_read_whole(&r->grid, r->reader->series[0], r->q->from_ns,
                                      r->q->to_ns, &r->reader->sum);
    r->result.contributors_min = r->result.contributors_max = 1;
    return rc;
}

/* Statistics of a single series, of which whole blocks are not read.  0: it has to be
 * read after all. */
static int stats_single(struct reading *r)
{
    const struct level_series *s = r->reader->series[0];
    struct series_stats stats = { .min = NAN, .max = NAN };
    size_t count = 0;
    if (r->q->want != METRIC_WANT_STATS || r->reader->series_count != 1 ||
        r->resolution_ns > r->grid.step_ns || r->has_times)
        return 0;
    int rc = begin(r, s);
    if (rc < 0)
        return rc;
    if (r->grid.count > 0) {
        rc = metric_grid_count(&r->grid, s, &count);
        if (rc != METRIC_IS_THERE)
            return rc;
        rc = metric_grid_stats(&r->grid, s, &stats);
        if (rc != METRIC_IS_THERE)
            return rc;
    }
    r->result.count = count;
    r->result.sources = METRIC_FROM_MEMORY;
    r->result.numbers =
        (struct metric_numbers){ stats.count, stats.min, stats.max, stats.sum };
    r->result.contributors_min = r->result.contributors_max = 1;
    return METRIC_IS_THERE;
}

/* ---- several series: those that have a number contribute ---- */

/* The earliest of their beginnings. */
static int begin_all(struct reading *r)
{
    int64_t earliest_ns = INT64_MAX;
    for (size_t i = 0; i < r->reader->series_count; i++) {
        int64_t begin_ns;
        int rc = metric_reader_watched(r->reader);
        if (rc == 0)
            rc = metric_grid_begin(&r->grid, r->reader->series[i], r->q->from_ns,
                                   &begin_ns);
        if (rc < 0)
            return rc;
        if (rc == METRIC_IS_THERE && begin_ns < earliest_ns)
            earliest_ns = begin_ns;
        if (earliest_ns == r->q->from_ns)
            break;
    }
    if (earliest_ns == INT64_MAX)
        return -ENOENT;
    /* Means have their places, whoever reads. */
    if (r->has_times && earliest_ns > r->q->from_ns)
        earliest_ns -= (earliest_ns - r->q->from_ns) % r->grid.step_ns;
    metric_grid_set(&r->grid, earliest_ns, r->q->to_ns);
    return 0;
}

static int read_several(struct reading *r)
{
    struct metric_reader *reader = r->reader;
    size_t known = 0;
    int rc = begin_all(r);
    reader->sum.count = 0;
    for (size_t i = 0; rc == 0 && i < reader->series_count; i++) {
        rc = metric_reader_watched(reader);
        if (rc == 0)
            rc = r->has_times
                     ? metric_points_mean(&r->grid, reader->series[i], &reader->child)
                     : read_whole(r, reader->series[i], &reader->child);
        if (rc == 0)
            rc = metric_points_extend(&reader->sum, reader->child.count);
        if (rc == 0)
            rc = metric_reader_reserve(reader, &known, reader->sum.count);
        if (rc == 0)
            metric_reader_add_child(reader);
    }
    if (rc == 0)
        metric_reader_finish_sum(reader, r->q, &r->result);
    return rc;
}

/* ---- several series, as the peer has it ---- */

struct strict_bounds {
    int64_t from_ns, to_ns;
};

/* A series may end earlier than those before, but by less than all; it may not begin
 * elsewhere, but for less than a step. */
static int check_aligned(struct reading *r, const struct strict_bounds *before,
                         const struct strict_bounds *own)
{
    struct metric_reader *reader = r->reader;
    int64_t front = (before->from_ns - own->from_ns) / r->grid.step_ns;
    int64_t back = (before->to_ns - own->to_ns) / r->grid.step_ns;
    if (front != 0)
        return err_set(r->err, EINVAL, NOT_ALIGNED, MISSING_FRONT);
    int64_t length = (int64_t)reader->child.count - back;
    if (length < 1 || length > (int64_t)reader->child.count)
        return err_set(r->err, EINVAL, NOT_ALIGNED, MISSING_BACK);
    if ((size_t)length != reader->sum.count)
        return err_set(r->err, EINVAL, NOT_ALIGNED, NOT_AS_LONG);
    reader->child.count = (size_t)length;
    return 0;
}

static int add_strictly(struct reading *r, struct strict_bounds *bounds, size_t index)
{
    struct metric_reader *reader = r->reader;
    const struct level_series *s = reader->series[index];
    int64_t begin_ns = bounds->from_ns;
    int rc = metric_reader_watched(reader);
    if (rc == 0)
        rc = metric_grid_begin(&r->grid, s, bounds->from_ns, &begin_ns);
    if (rc < 0)
        return rc;
    metric_grid_set(&r->grid, begin_ns, bounds->to_ns);
    rc = read_whole(r, s, &reader->child);
    struct strict_bounds own = { begin_ns, begin_ns + (int64_t)reader->child.count *
                                                          r->grid.step_ns };
    if (rc == 0 && index == 0) {
        reader->sum.count = 0;
        rc = metric_points_extend(&reader->sum, reader->child.count);
        for (size_t i = 0; i < reader->sum.count; i++)
            reader->sum.values[i] = 0;
    } else if (rc == 0 &&
               (own.from_ns != bounds->from_ns || own.to_ns != bounds->to_ns ||
                reader->child.count != reader->sum.count)) {
        rc = check_aligned(r, bounds, &own);
    }
    for (size_t i = 0; rc == 0 && i < reader->sum.count; i++)
        reader->sum.values[i] += reader->child.values[i]; /* NaN voids */
    *bounds = own;
    return rc;
}

/* Whether they align depends on which is first: metric_reader_find() has their order.
 */
static int read_strictly(struct reading *r)
{
    struct metric_reader *reader = r->reader;
    struct strict_bounds bounds = { r->q->from_ns, r->q->to_ns };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < reader->series_count; i++)
        rc = add_strictly(r, &bounds, i);
    if (rc < 0)
        return rc;
    /* As the peer has it, to the last bit: times the share of one. */
    double share =
        r->q->aggregation == AGGREGATE_AVG ? 1.0 / (double)reader->series_count : 1;
    for (size_t i = 0; i < reader->sum.count; i++)
        reader->sum.values[i] *= share;
    r->grid.from_ns = bounds.from_ns;
    r->result.contributors_min = r->result.contributors_max =
        (uint32_t)reader->series_count;
    return 0;
}

/* ---- the whole ---- */

/* What the peer says of a question when it has read everything, and not before. */
static int check_question(struct reading *r)
{
    const struct metric_read_opts *q = r->q;
    int64_t step_ns = r->grid.step_ns;
    if (r->reader->series_count > 1 && q->aggregation == AGGREGATE_NONE)
        return err_set(r->err, EINVAL, "[METRICSTORE]> invalid aggregation");
    if (r->resolution_ns != q->resolution_ns)
        return err_set(r->err, EINVAL,
                       "new sampling frequency (%" PRId64
                       ") must be a multiple of old frequency (%" PRId64 ")",
                       q->resolution_ns / NS_PER_S, step_ns / NS_PER_S);
    return 0;
}

static int check(struct reading *r)
{
    const struct metric_read_opts *q = r->q;
    if (q->from_ns > q->to_ns || q->from_ns < 0)
        return err_set(r->err, EINVAL, "[METRICSTORE]> invalid time range");
    int rc = metric_reader_find(r->reader, q);
    if (rc < 0)
        return rc;
    r->result.series_count = r->reader->series_count;
    r->grid.step_ns = find_step(r);
    if (r->grid.step_ns == 0)
        return err_set(r->err, EINVAL,
                       "the metric has no step of its own: request one");
    int64_t step_ns = r->grid.step_ns;
    int64_t beside_ns =
        q->resolution_ns > step_ns && step_ns ? q->resolution_ns % step_ns : 0;
    r->resolution_ns = q->resolution_ns + (beside_ns ? step_ns - beside_ns : 0);
    metric_grid_set(&r->grid, q->from_ns, q->to_ns);
    return q->strictness == METRIC_STRICT ? 0 : check_question(r);
}

static void resample(struct reading *r)
{
    struct metric_points *points = &r->reader->sum;
    r->result.to_ns = r->grid.from_ns + (int64_t)points->count * r->grid.step_ns;
    r->result.step_ns = r->grid.step_ns;
    if (r->resolution_ns <= r->grid.step_ns ||
        points->count < r->q->resample_points_min)
        return;
    size_t count = points->count;
    points->count = metric_resample(r->q->resampling, points->values, count,
                                    (size_t)(r->resolution_ns / r->grid.step_ns));
    if (points->count != count)
        r->result.step_ns = r->resolution_ns;
}

int metric_read(struct metric_reader *reader, const struct metric_read_opts *opts,
                struct metric_result *ret, struct err *err)
{
    struct reading r = {
        .reader = reader,
        .q = opts,
        .grid.store = reader->store,
        .err = err,
    };
    int rc = check(&r);
    if (rc == 0)
        rc = stats_single(&r);
    bool is_read = rc == 0;
    if (rc == 0 && reader->series_count == 1 && !r.has_times)
        rc = read_single(&r);
    else if (rc == 0 && opts->strictness == METRIC_STRICT)
        rc = read_strictly(&r);
    else if (rc == 0)
        rc = read_several(&r);
    if (rc >= 0 && opts->strictness == METRIC_STRICT && check_question(&r) < 0)
        return -EINVAL;
    if (rc == -EMSGSIZE)
        return err_set(err, EMSGSIZE, "more than %zu points", METRIC_POINTS_MAX);
    if (rc < 0)
        return rc;
    r.result.to_ns = r.grid.from_ns + (int64_t)r.result.count * r.grid.step_ns;
    r.result.step_ns = r.grid.step_ns;
    if (is_read) {
        resample(&r);
        if (opts->want & METRIC_WANT_STATS)
            metric_numbers_count(reader->sum.values, reader->sum.count,
                                 &r.result.numbers);
        r.result.values = opts->want & METRIC_WANT_DATA ? reader->sum.values : NULL;
        r.result.count = reader->sum.count;
        r.result.sources = r.grid.sources;
        r.result.unreadable = r.grid.unreadable;
    }
    r.result.from_ns = r.grid.from_ns;
    *ret = r.result;
    return 0;
}
