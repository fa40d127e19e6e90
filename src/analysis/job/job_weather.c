/* SPDX-License-Identifier: Apache-2.0 */
/* job_weather - what a file system's servers did while a job ran. */
#include "analysis/job/job_weather.h"

#include <math.h>

#define GIB ((double)(INT64_C(1) << 30))
#define STEP_S_GUESS 5 /* of LMT, until the series say theirs */

static void flow_sum(const struct lmt_grid *grid, struct weather_flow *flow)
{
    size_t steps = 0;
    size_t cells = 0;
    size_t zeros = 0;
    *flow = (struct weather_flow){ true, 0, NAN, NAN, NAN, NAN, 1 };
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
    *load = (struct weather_load){ true, NAN, NAN };
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

static int measure_read(struct lmt_series *const *series, size_t count,
                        enum lmt_measure measure, struct job_weather *w,
                        struct err *err)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    lmt_grid_init(&grid, w->from_s, w->to_s);
    int rc = grid_read(series, count, measure, &grid, err);
    if (rc <= 0)
        return rc;
    w->is_known = true;
    if (lmt_measure_info(measure)->kind == LMT_COUNT)
        flow_sum(&grid, &w->flows[measure]);
    else if (measure == LMT_OSS_CPU)
        load_sum(&grid, &w->oss_cpu);
    else
        load_sum(&grid, &w->mds_cpu);
    return 0;
}

int job_weather_read(struct lmt_series *const *series, size_t count, int64_t start_s,
                     int64_t end_s, struct job_weather *ret, struct err *err)
{
    struct job_weather w = { .from_s = start_s, .missing_fraction = NAN };
    if (end_s < start_s)
        return err_set(err, EINVAL, "the job ends before it starts");
    int rc = 0;
    w.step_s = step_find(series, count);
    w.to_s = end_s + w.step_s;
    for (unsigned m = 0; rc == 0 && m < LMT_MEASURES; m++) {
        bool is_load = m == LMT_OSS_CPU || m == LMT_MDS_CPU;
        if (lmt_measure_info(m)->kind == LMT_COUNT || is_load)
            rc = measure_read(series, count, m, &w, err);
    }
    if (rc < 0)
        return rc;
    const struct weather_flow *read = &w.flows[LMT_READ_BYTES];
    const struct weather_flow *write = &w.flows[LMT_WRITE_BYTES];
    if (read->is_known && write->is_known)
        w.missing_fraction = (read->missing_fraction + write->missing_fraction) / 2;
    else if (read->is_known || write->is_known)
        w.missing_fraction =
            read->is_known ? read->missing_fraction : write->missing_fraction;
    *ret = w;
    return 0;
}

/* A part of nothing is no number. */
static double part(double of_job, double of_all)
{
    return of_all > 0 ? of_job / of_all : NAN;
}

static double total(const struct job_weather *w, enum lmt_measure measure)
{
    return w->flows[measure].is_known ? w->flows[measure].total : NAN;
}

void coverage_make(const struct job_facts *facts, const struct job_weather *weather,
                   double nodehrs, double concurrent_nodehrs, struct coverage *ret)
{
    double read = job_facts_total(facts, "bytes_read");
    double written = job_facts_total(facts, "bytes_written");
    double reads = job_facts_total(facts, "reads");
    double writes = job_facts_total(facts, "writes");
    double fs_read = total(weather, LMT_READ_BYTES);
    double fs_written = total(weather, LMT_WRITE_BYTES);
    double fs_reads = total(weather, LMT_READ_OPS);
    double fs_writes = total(weather, LMT_WRITE_OPS);
    *ret = (struct coverage){
        .read_bw = part(read, fs_read),
        .write_bw = part(written, fs_written),
        .bw = part(read + written, fs_read + fs_written),
        .opens = part(job_facts_total(facts, "opens"), total(weather, LMT_OPENS)),
        .stats = part(job_facts_total(facts, "stats"), total(weather, LMT_GETATTRS)),
        .read_ops = part(reads, fs_reads),
        .write_ops = part(writes, fs_writes),
        .ops = part(reads + writes, fs_reads + fs_writes),
        .nodehrs = part(nodehrs, concurrent_nodehrs),
    };
}

static void named(struct job_row *row, const char *form, const char *what,
                  const char *word, double value)
{
    char name[80];
    (void)snprintf(name, sizeof name, "fs_%s_%s%s", what, word, form);
    job_row_double(row, name, value);
}

/* Four numbers of a flow, in a unit of scale each. */
static void flow_put(const struct weather_flow *flow, const char *word, double scale,
                     struct job_row *row)
{
    bool is = flow->is_known;
    named(row, "", "tot", word, is ? flow->total / scale : NAN);
    named(row, "_per_sec", "ave", word, is ? flow->average / scale : NAN);
    named(row, "_per_sec", "max", word, is ? flow->max / scale : NAN);
    named(row, "_per_sec", "min", word, is ? flow->min / scale : NAN);
}

static void load_put(const struct weather_load *load, const char *word,
                     struct job_row *row)
{
    named(row, "", "ave", word, load->is_known ? load->average : NAN);
    named(row, "", "max", word, load->is_known ? load->max : NAN);
}

void job_weather_put(const struct job_weather *weather, struct job_row *row)
{
    const struct weather_flow *read = &weather->flows[LMT_READ_BYTES];
    const struct weather_flow *write = &weather->flows[LMT_WRITE_BYTES];
    char word[32];
    flow_put(read, "bytes_read", 1, row);
    flow_put(read, "gibs_read", GIB, row);
    flow_put(write, "bytes_written", 1, row);
    flow_put(write, "gibs_written", GIB, row);
    job_row_double(row, "fs_frac_zero_read",
                   read->is_known ? read->zero_fraction : NAN);
    job_row_double(row, "fs_frac_zero_written",
                   write->is_known ? write->zero_fraction : NAN);
    job_row_double(row, "fs_frac_missing",
                   weather->is_known ? weather->missing_fraction : NAN);
    load_put(&weather->oss_cpu, "oss_cpu", row);
    load_put(&weather->mds_cpu, "mds_cpu", row);
    for (unsigned m = LMT_OP_FIRST; m <= LMT_OP_LAST; m++) {
        (void)snprintf(word, sizeof word, "%s_ops", lmt_measure_info(m)->op);
        flow_put(&weather->flows[m], word, 1, row);
    }
    flow_put(&weather->flows[LMT_READ_OPS], "read_ops", 1, row);
    flow_put(&weather->flows[LMT_WRITE_OPS], "write_ops", 1, row);
    if (weather->is_known) {
        job_row_i64(row, "fs_window_start", weather->from_s);
        job_row_i64(row, "fs_window_end", weather->to_s);
        job_row_i64(row, "fs_timestep", weather->step_s);
    } else {
        job_row_missing(row, "fs_window_start");
        job_row_missing(row, "fs_window_end");
        job_row_missing(row, "fs_timestep");
    }
}

void coverage_put(const struct coverage *coverage, struct job_row *row)
{
    /* A client gathers many small accesses into one request: of these a job does more
     * than its servers see, and nothing is broken. */
    const struct {
        const char *word;
        double value;
        bool is_gathered;
    } factors[] = {
        { "read_bw", coverage->read_bw, false },
        { "write_bw", coverage->write_bw, false },
        { "bw", coverage->bw, false },
        { "opens", coverage->opens, false },
        { "stats", coverage->stats, false },
        { "read_ops", coverage->read_ops, true },
        { "write_ops", coverage->write_ops, true },
        { "ops", coverage->ops, true },
        { "nodehrs", coverage->nodehrs, false },
    };
    char broken[128] = "";
    char name[48];
    size_t size = 0;
    for (size_t i = 0; i < COUNT_OF(factors); i++) {
        (void)snprintf(name, sizeof name, "coverage_factor_%s", factors[i].word);
        job_row_double(row, name, factors[i].value);
        if (factors[i].value > COVERAGE_MAX && !factors[i].is_gathered)
            size += (size_t)snprintf(broken + size, sizeof broken - size, "%s%s",
                                     size ? " " : "", factors[i].word);
    }
    job_row_text(row, "coverage_broken", broken[0] ? broken : NULL);
}
