/* SPDX-License-Identifier: Apache-2.0 */
/* metrics - samples in a store's directory, for the tests of what asks.
 *
 *     baro-fill-metrics DIRECTORY <<END
 *     metric cpu_load 60s sum
 *     alex/a0903 cpu_load 1700000040 1.25
 *     END
 *
 * A word of the time that has ".." makes a run: 1700000040..1700086440 gives a sample
 * each step, with values that grow by 0.01.
 */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

static int declare(struct metric_store *store, struct span line)
{
    static const char *const aggregations[] = { "sum", "avg", "none" };
    struct metric metric = { .aggregation = AGGREGATE_NONE };
    const struct metric *declared;
    struct span step;
    (void)span_cut(&line, ' ', &metric.name);
    (void)span_cut(&line, ' ', &step);
    for (unsigned i = 0; i < COUNT_OF(aggregations); i++)
        if (span_is(line, aggregations[i]))
            metric.aggregation = (enum aggregation)i;
    if (!span_is(step, "none") && number_parse_duration(step, &metric.step_ns) < 0)
        return -EINVAL;
    return metric_declare(metric_store_metrics(store), &metric, &declared);
}

static int put(struct metric_store *store, struct level_series *series, int64_t t_ns,
               double value)
{
    const struct sample point = { series, t_ns, value };
    const struct metric_batch batch = { series->level->shard, &point, 1,
                                        METRIC_STORED };
    struct sample_counts taken;
    return metric_store_put(store, &batch, &taken);
}

static int put_line(struct metric_store *store, struct span line)
{
    struct span path, name, time;
    struct level_series *series = NULL;
    int64_t first_s, last_s;
    double value;
    (void)span_cut(&line, ' ', &path);
    if (span_is(path, "metric"))
        return declare(store, line);
    (void)span_cut(&line, ' ', &name);
    (void)span_cut(&line, ' ', &time);
    const struct metric *metric = metric_find(metric_store_metrics(store), name);
    const char *dots = memmem(time.data, time.size, "..", 2);
    struct span first = { time.data, dots ? (size_t)(dots - time.data) : time.size };
    struct span last = dots ? span_skip(time, first.size + 2) : first;
    if (!metric || number_parse_i64(first, &first_s) < 0 ||
        number_parse_i64(last, &last_s) < 0 || number_parse_double(line, &value) < 0)
        return -EINVAL;
    int rc = metric_store_series(store, path, metric, &series);
    int64_t step_ns = metric->step_ns ? metric->step_ns : NS_PER_S;
    int64_t t_ns = first_s * NS_PER_S;
    for (int64_t i = 0; rc == 0 && t_ns <= last_s * NS_PER_S; i++, t_ns += step_ns)
        rc = put(store, series, t_ns, i ? value + (double)i / 100 : value);
    return rc;
}

static int fill(const char *dir, struct err *err)
{
    AUTO(metric_store_close) struct metric_store *store = NULL;
    AUTO_FREE char *line = NULL;
    const struct metric_store_options options = { .dir = dir };
    size_t capacity = 0;
    ssize_t size;
    int rc = metric_store_open(&options, &store, err);
    while (rc == 0 && (size = getline(&line, &capacity, stdin)) > 0) {
        struct span text = span_trim((struct span){ line, (size_t)size });
        rc = put_line(store, text);
        if (rc < 0)
            (void)err_set(err, -rc, SPAN_FMT ": %s", SPAN_ARG(text), strerror(-rc));
    }
    return rc;
}

int main(int argc, char **argv)
{
    struct err err = { 0 };
    if (argc != 2) {
        fprintf(stderr, "usage: baro-fill-metrics DIRECTORY\n");
        return EXIT_USAGE;
    }
    if (fill(argv[1], &err) < 0) {
        fprintf(stderr, "baro-fill-metrics: %s\n", err.text);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}
