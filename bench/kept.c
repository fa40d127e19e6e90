/* SPDX-License-Identifier: Apache-2.0 */
/* bench_kept - the metric store with a directory: put, log, checkpoint, restart.
 *
 *     bench_kept DIR [STEPS]    workload A: 1000 hosts x 20 metrics at 10 s, 1000
 *                               samples a batch, STEPS of them (default 1440)
 *
 * DIR must not be there; it is left behind.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>

#define HOSTS 1000
#define METRICS 20
#define SERIES (HOSTS * METRICS)
#define BATCH 1000
#define BEGIN_NS (INT64_C(1700000000) * NS_PER_S)
#define STEP_NS (10 * NS_PER_S)

static struct level_series *all[SERIES];

static uint64_t draw(void)
{
    static uint64_t seed = 1;
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return seed >> 33;
}

/* As bench_store has them. */
static double next_value(unsigned metric, int64_t *walk)
{
    if (metric < 4)
        *walk = draw() % 200 ? *walk : (int64_t)(draw() % 64);
    else if (metric < 10)
        *walk += (int64_t)(draw() % 201) - 100;
    if (metric < 4)
        return (double)*walk;
    if (metric < 10)
        return (double)*walk / 100;
    if (metric < 15)
        return (double)(draw() % 20000) / 10;
    if (metric < 18)
        return (double)(draw() % 10000);
    return draw() % 50 ? 0 : (double)(draw() % 100000);
}

static int open_store(const char *dir, struct metric_store **ret)
{
    struct err err = { 0 };
    struct metric_store_options options = { .dir = dir,
                                            .checkpoint_interval_ns = 3600 * NS_PER_S,
                                            .checkpoint_log_bytes = UINT64_MAX };
    int rc = metric_store_open(&options, ret, &err);
    if (rc < 0)
        fprintf(stderr, "bench_kept: %s\n", err.text);
    return rc;
}

static int find_series(struct metric_store *store)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < SERIES; i++) {
        char path[32], name[16];
        (void)snprintf(path, sizeof path, "alex/a%04zu", i / METRICS);
        (void)snprintf(name, sizeof name, "metric_%02zu", i % METRICS);
        struct metric m = { .name = span_of(name), .step_ns = STEP_NS };
        const struct metric *metric = metric_find(metric_store_metrics(store), m.name);
        rc = metric ? 0 : metric_declare(metric_store_metrics(store), &m, &metric);
        if (rc == 0)
            rc = metric_store_series(store, span_of(path), metric, &all[i]);
    }
    return rc;
}

static int put_step(struct metric_store *store, uint64_t step, int64_t *cpu_ns)
{
    static int64_t walks[SERIES];
    static struct sample points[METRIC_SHARDS_MAX][BATCH + METRICS];
    size_t counts[METRIC_SHARDS_MAX] = { 0 };
    struct sample_counts taken;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i <= SERIES; i++) {
        for (size_t shard = 0; shard < metric_store_shard_count(store); shard++) {
            bool is_full = counts[shard] >= BATCH || (i == SERIES && counts[shard]);
            struct metric_batch batch = { shard, points[shard], counts[shard],
                                          METRIC_STORED };
            if (!is_full)
                continue;
            int64_t begin_ns = clock_cpu_ns();
            rc = metric_store_put(store, &batch, &taken);
            *cpu_ns += clock_cpu_ns() - begin_ns;
            counts[shard] = 0;
        }
        if (i == SERIES)
            break;
        size_t shard = all[i]->level->shard;
        points[shard][counts[shard]++] =
            (struct sample){ all[i],
                             BEGIN_NS + (int64_t)step * STEP_NS +
                                 (int64_t)(i / METRICS % 10) * NS_PER_S,
                             next_value((unsigned)(i % METRICS), &walks[i]) };
    }
    return rc;
}

static double seconds_since(int64_t begin_ns)
{
    return (double)(clock_monotonic_ns() - begin_ns) / 1e9;
}

static int measure_put(const char *dir, uint64_t steps)
{
    AUTO(metric_store_close) struct metric_store *store = NULL;
    struct metric_store_status s;
    int64_t cpu_ns = 0;
    int rc = open_store(dir, &store);
    if (rc == 0)
        rc = find_series(store);
    for (uint64_t step = 0; rc == 0 && step < steps; step++)
        rc = put_step(store, step, &cpu_ns);
    if (rc < 0)
        return rc;
    double n = (double)steps * SERIES;
    metric_store_status(store, &s);
    printf("put: %.2f M samples a CPU-second, log %.2f bytes a sample\n",
           n / (double)cpu_ns * 1e3, (double)s.log_bytes / n);
    int64_t begin_ns = clock_monotonic_ns();
    rc = metric_store_checkpoint(store, NULL);
    metric_store_status(store, &s);
    printf("checkpoint: %.2f s, blocks %.3f bytes a sample, memory %.3f after it\n",
           seconds_since(begin_ns), (double)s.block_file_bytes / n,
           (double)s.memory.used_bytes / n);
    /* One step more, so that a first answer is not only of blocks. */
    return rc == 0 ? put_step(store, steps, &cpu_ns) : rc;
}

static int add_up(void *arg, const int64_t *times, const double *values, size_t count)
{
    uint64_t *total = arg;
    (void)times;
    (void)values;
    *total += count;
    return 0;
}

static int measure_open(const char *dir)
{
    AUTO(metric_store_close) struct metric_store *store = NULL;
    uint64_t total = 0;
    struct metric_read read;
    struct metric_range range = { 0, INT64_MAX / 2, add_up, &total };
    int64_t begin_ns = clock_monotonic_ns();
    int rc = open_store(dir, &store);
    if (rc == 0)
        rc = find_series(store);
    if (rc == 0)
        rc = metric_store_read(store, all[SERIES / 2], &range, &read);
    printf("open, find every series, read one: %.3f s (%" PRIu64 " slots)\n",
           seconds_since(begin_ns), total);
    return rc;
}

int main(int argc, char **argv)
{
    uint64_t steps = 1440;
    if (argc < 2 || (argc > 2 && number_parse_u64(span_of(argv[2]), &steps) < 0)) {
        fprintf(stderr, "bench_kept DIR [STEPS]\n");
        return EXIT_USAGE;
    }
    int rc = measure_put(argv[1], steps);
    if (rc == 0)
        rc = measure_open(argv[1]);
    if (rc < 0)
        fprintf(stderr, "bench_kept: %s\n", strerror(-rc));
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
