/* SPDX-License-Identifier: Apache-2.0 */
/* job_weather - what a file system's servers did while a job ran. */
#include "analysis/job/job_weather.h"

#include "base/span.h"

#include "analysis/job/job_value.h"

#include <math.h>

#define STEP_S_GUESS 5 /* of LMT, until the series say theirs */

static void flow_sum(const struct lmt_grid *grid, struct weather_flow *flow)
{
    size_t steps = 0;
    size_t cells = 0;
    size_t zeros = 0;
    *flow = (struct weather_flow){ 0, NAN, NAN, NAN, NAN, 1 };
    for (size_t row = 0; row < grid->row_count; row++) {
        double sum = 0;
        size_t known = 0;
        for (size_t column = 0; column < grid->column_count; column++) {
            double value = *lmt_grid_at(grid, row, column);
            if (isnan(value))
                continue;
            sum += value;
            known++;
            zeros += value == 0;
        }
        cells += known;
        if (known == 0)
            continue;
        double by_s = sum / (double)grid->step_s;
        flow->total += sum;
        flow->max = steps == 0 || by_s > flow->max ? by_s : flow->max;
        flow->min = steps == 0 || by_s < flow->min ? by_s : flow->min;
        steps++;
    }
    double all = (double)grid->row_count * (double)grid->column_count;
    if (steps == 0) {
        flow->total = NAN;
        return;
    }
    flow->average = flow->total / (double)steps / (double)grid->step_s;
    flow->zero_fraction = (double)zeros / all;
    flow->missing_fraction = 1 - (double)cells / all;
}

static void load_sum(const struct lmt_grid *grid, struct weather_load *load)
{
    size_t known = 0;
    double sum = 0;
    *load = (struct weather_load){ NAN, NAN };
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++) {
        double value = grid->values[i];
        if (isnan(value))
            continue;
        load->max = known == 0 || value > load->max ? value : load->max;
        sum += value;
        known++;
    }
    if (known > 0)
        load->average = sum / (double)known;
}

/* Returns 1 when at least one of the series has the measure. */
static int grid_read(struct lmt_series *const *series, size_t count,
                     enum lmt_measure measure, struct lmt_grid *grid, struct err *err)
{
    int has_any = 0;
    for (size_t i = 0; i < count; i++) {
        int rc = lmt_series_read(series[i], measure, grid, err);
        if (rc == 0)
            has_any = 1;
        else if (rc != -ENOENT)
            return rc;
    }
    return has_any;
}

/* Of the first series that has one of the measures. */
static int64_t step_find(struct lmt_series *const *series, size_t count)
{
    static const enum lmt_measure asked[] = { LMT_WRITE_BYTES, LMT_READ_BYTES,
                                              LMT_OPENS, LMT_OSS_CPU, LMT_MDS_CPU };
    for (size_t m = 0; m < COUNT_OF(asked); m++)
        for (size_t i = 0; i < count; i++) {
            int64_t step_s = lmt_series_step(series[i], asked[m]);
            if (step_s > 0)
                return step_s;
        }
    return STEP_S_GUESS;
}

/* Returns 1 when the measure is known. */
static int measure_read(struct lmt_series *const *series, size_t count,
                        enum lmt_measure measure, struct job_weather *w,
                        struct err *err)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    lmt_grid_init(&grid, w->from_s, w->to_s);
    int rc = grid_read(series, count, measure, &grid, err);
    if (rc <= 0)
        return rc;
    if (lmt_measure_info(measure)->kind == LMT_COUNT)
        flow_sum(&grid, &w->flows[measure]);
    else if (measure == LMT_OSS_CPU)
        load_sum(&grid, &w->oss_cpu);
    else
        load_sum(&grid, &w->mds_cpu);
    return 1;
}

int64_t job_weather_end(struct lmt_series *const *series, size_t count, int64_t end_s)
{
    return end_s + step_find(series, count);
}

static struct job_weather weather_missing(void)
{
    struct job_weather w = { .from_s = JOB_I64_NONE,
                             .to_s = JOB_I64_NONE,
                             .step_s = JOB_I64_NONE,
                             .oss_cpu = { NAN, NAN },
                             .mds_cpu = { NAN, NAN },
                             .missing_fraction = NAN };
    for (size_t i = 0; i < LMT_MEASURES; i++)
        w.flows[i] = (struct weather_flow){ NAN, NAN, NAN, NAN, NAN, NAN };
    return w;
}

/* The mean of both directions; of one where the other is not known. */
static double missing_of(const struct job_weather *w)
{
    double read = w->flows[LMT_READ_BYTES].missing_fraction;
    double write = w->flows[LMT_WRITE_BYTES].missing_fraction;
    if (isnan(read) || isnan(write))
        return isnan(read) ? write : read;
    return (read + write) / 2;
}

int job_weather_read(struct lmt_series *const *series, size_t count, int64_t start_s,
                     int64_t end_s, struct job_weather *ret, struct err *err)
{
    struct job_weather w = weather_missing();
    bool is_known = false;
    int rc = 0;
    if (end_s < start_s)
        return err_set(err, EINVAL, "the job ends before it starts");
    w.from_s = start_s;
    w.step_s = step_find(series, count);
    w.to_s = end_s + w.step_s;
    for (unsigned m = 0; rc >= 0 && m < LMT_MEASURES; m++) {
        bool is_load = m == LMT_OSS_CPU || m == LMT_MDS_CPU;
        if (lmt_measure_info(m)->kind != LMT_COUNT && !is_load)
            continue;
        rc = measure_read(series, count, m, &w, err);
        is_known |= rc > 0;
    }
    if (rc < 0)
        return rc;
    w.missing_fraction = missing_of(&w);
    *ret = is_known ? w : weather_missing();
    return 0;
}

/* ---- the job's part ---- */

/* A part of nothing is no number. */
static double part(double of_job, double of_all)
{
    return of_all > 0 ? of_job / of_all : NAN;
}

/* A client gathers many small accesses into one request: of these a job does more than
 * its servers see, and nothing is broken. */
static int broken_find(struct job_coverage *c, struct arena *arena)
{
    const struct {
        const char *word;
        double value;
    } factors[] = {
        { "read_bw", c->read_bw }, { "write_bw", c->write_bw },
        { "bw", c->bw },           { "opens", c->opens },
        { "stats", c->stats },     { "nodehrs", c->nodehrs },
    };
    char broken[128] = "";
    size_t size = 0;
    for (size_t i = 0; i < COUNT_OF(factors); i++)
        if (factors[i].value > COVERAGE_MAX)
            size += (size_t)snprintf(broken + size, sizeof broken - size, "%s%s",
                                     size ? " " : "", factors[i].word);
    if (size == 0)
        return 0;
    c->broken = arena_dup(arena, span_of(broken));
    return c->broken ? 0 : -ENOMEM;
}

int job_coverage_make(const struct job_facts *facts, const struct job_weather *weather,
                      double nodehrs, double concurrent_nodehrs, struct arena *arena,
                      struct job_coverage *ret)
{
    const struct job_counter *posix = facts->posix;
    const struct weather_flow *flows = weather->flows;
    double read = posix[JOB_POSIX_BYTES_READ].total;
    double written = posix[JOB_POSIX_BYTES_WRITTEN].total;
    double reads = posix[JOB_POSIX_READS].total;
    double writes = posix[JOB_POSIX_WRITES].total;
    double fs_read = flows[LMT_READ_BYTES].total;
    double fs_written = flows[LMT_WRITE_BYTES].total;
    double fs_reads = flows[LMT_READ_OPS].total;
    double fs_writes = flows[LMT_WRITE_OPS].total;
    struct job_coverage c = {
        .read_bw = part(read, fs_read),
        .write_bw = part(written, fs_written),
        .bw = part(read + written, fs_read + fs_written),
        .opens = part(posix[JOB_POSIX_OPENS].total, flows[LMT_OPENS].total),
        .stats = part(posix[JOB_POSIX_STATS].total, flows[LMT_GETATTRS].total),
        .read_ops = part(reads, fs_reads),
        .write_ops = part(writes, fs_writes),
        .ops = part(reads + writes, fs_reads + fs_writes),
        .nodehrs = part(nodehrs, concurrent_nodehrs),
    };
    int rc = broken_find(&c, arena);
    if (rc == 0)
        *ret = c;
    return rc;
}
