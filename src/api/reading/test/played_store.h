/* SPDX-License-Identifier: Apache-2.0 */
/* played_store - a metric store of a test's own, of a few hours up to now. */
#ifndef API_READING_TEST_PLAYED_STORE_H
#define API_READING_TEST_PLAYED_STORE_H

#include "api/reading/reading.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"

#include <time.h>

#define HOUR_NS (3600 * NS_PER_S)
#define HOURS 4

struct played_store {
    unsigned number; /* of stores so far */
    struct metric_store *store;
    int64_t from_ns; /* the first of the hours */
};

static inline void played_store_open(struct played_store *played)
{
    struct err err = { 0 };
    char name[16], dir[128];
    (void)snprintf(name, sizeof name, "%u", played->number++);
    (void)snprintf(dir, sizeof dir, "%s", scratch_path(name));
    assert_int_equal(mkdir(dir, 0755), 0);
    const struct metric_store_options options = { .dir = dir, .shard_count = 2 };
    if (metric_store_open(&options, &played->store, &err) < 0)
        fail_msg("%s", err.text);
    played->from_ns = time(NULL) / 3600 * HOUR_NS - HOURS * HOUR_NS;
}

/* A sample at an hour from the first on: "lustre/oss01/ost:s-OST0000". */
static inline void played_store_put(const struct played_store *played, const char *path,
                                    const char *name, double hour, double value)
{
    const struct metric form = { .name = span_of(name), .aggregation = AGGREGATE_SUM };
    struct metric_table *metrics = metric_store_metrics(played->store);
    const struct metric *metric = metric_find(metrics, span_of(name));
    struct level_series *series = NULL;
    struct sample_counts counts = { 0 };
    if (!metric)
        assert_int_equal(metric_declare(metrics, &form, &metric), 0);
    assert_int_equal(metric_store_series(played->store, span_of(path), metric, &series),
                     0);
    struct sample point = { series, played->from_ns + (int64_t)(hour * (double)HOUR_NS),
                            value };
    const struct metric_batch batch = { series->level->shard, &point, 1,
                                        METRIC_STORED };
    assert_int_equal(metric_store_put(played->store, &batch, &counts), 0);
}

#endif
