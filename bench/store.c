/* SPDX-License-Identifier: Apache-2.0 */
/* bench_store - line protocol into the metric store: how fast, how much memory.
 *
 *     bench_store a [STEPS]     workload A: 1000 hosts x 20 metrics, one sample each 10
 * s, STEPS of them (default 1440, 4 hours), in that order bench_store first [N]     the
 * first sample of N series (default 720000) bench_store text          line protocol
 * from standard input, times in seconds
 *
 * One thread: parse, find the series by the bytes of its key, put.  Making the text is
 * not counted.  At the end all is read back and counted.
 */
#include "store/store.h"
#include "base/clock.h"
#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "wire/wire.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define HOSTS 1000
#define METRICS 20
#define BEGIN_S INT64_C(1700000000)
#define PIECE_BYTES_READ ((size_t)1 << 20)

struct bench {
    struct shard *shard;
    struct hashmap known; /* bytes of a key -> series */
    struct line_reader reader;
    int64_t step_ns;
    uint64_t samples;
    int64_t cpu_ns;
};

static struct span find_tag(const struct line_point *p, const char *name)
{
    for (size_t i = 0; i < p->tag_count; i++) {
        if (span_is(p->tags[i].key, name))
            return p->tags[i].value;
    }
    return SPAN("none");
}

/* One metric a level stands for its name: here the name is part of the path. */
static int find_series(struct bench *b, const struct line_point *p,
                       struct metric_series **ret)
{
    bool is_new;
    uintptr_t *value = hashmap_put(&b->known, p->key, &is_new);
    if (!value)
        return -ENOMEM;
    if (!is_new) {
        *ret = (struct metric_series *)*value;
        return 0;
    }
    char path[512];
    struct span host = find_tag(p, "hostname"), id = find_tag(p, "type-id");
    int n = snprintf(path, sizeof path, "c/" SPAN_FMT "/hwthread:" SPAN_FMT,
                     SPAN_ARG(host), SPAN_ARG(id));
    uint32_t metric = 0;
    for (size_t i = 0; i < p->name.size; i++)
        metric = metric * 31 + (unsigned char)p->name.data[i];
    if (span_is(id, "none"))
        n = (int)(2 + host.size);
    int rc = shard_series(b->shard, (struct span){ path, (size_t)n }, metric,
                          b->step_ns, ret);
    *value = (uintptr_t)*ret;
    return rc;
}

/* What is read of text; the rest stays with the reader. */
static int take_in(struct bench *b, struct span text, bool has_more)
{
    struct line_point p;
    int rc = 0;
    int64_t begin_ns = clock_cpu_ns();
    line_reader_refill(&b->reader, text);
    b->reader.has_more = has_more;
    shard_lock(b->shard);
    while (rc == 0 && line_reader_next(&b->reader, &p) == LINE_POINT) {
        struct metric_series *series = NULL;
        double value;
        rc = line_field_double(&p.fields[0], &value);
        if (rc == 0)
            rc = find_series(b, &p, &series);
        if (rc == 0)
            rc = shard_put(b->shard, series, p.t_ns, p.t_ns, value);
        b->samples++;
    }
    shard_unlock(b->shard);
    b->cpu_ns += clock_cpu_ns() - begin_ns;
    return rc;
}

static uint64_t draw(void)
{
    static uint64_t seed = 1;
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return seed >> 33;
}

/* 4 rarely changing, 6 walks of two decimals, 5 noisy of one decimal, 3 noisy integers,
 * 2 mostly zero. */
static void add_value(struct strbuf *text, unsigned metric, int64_t *walk)
{
    if (metric < 4)
        *walk = draw() % 200 ? *walk : (int64_t)(draw() % 64);
    else if (metric < 10)
        *walk += (int64_t)(draw() % 201) - 100;
    if (metric < 4)
        strbuf_addf(text, "%" PRId64, *walk);
    else if (metric < 10)
        strbuf_addf(text, "%.2f", (double)*walk / 100);
    else if (metric < 15)
        strbuf_addf(text, "%.1f", (double)(draw() % 20000) / 10);
    else if (metric < 18)
        strbuf_addf(text, "%u", (unsigned)(draw() % 10000));
    else
        strbuf_addf(text, "%u", draw() % 50 ? 0 : (unsigned)(draw() % 100000));
}

static int run_a(struct bench *b, uint64_t steps)
{
    static int64_t walks[HOSTS][METRICS];
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    b->step_ns = 10 * NS_PER_S;
    for (uint64_t step = 0; step < steps; step++) {
        strbuf_clear(&text);
        for (unsigned host = 0; host < HOSTS; host++) {
            for (unsigned metric = 0; metric < METRICS; metric++) {
                strbuf_addf(&text,
                            "metric_%02u,cluster=alex,hostname=a%04u,type=node value=",
                            metric, host);
                add_value(&text, metric, &walks[host][metric]);
                strbuf_addf(&text, " %" PRId64 "\n",
                            BEGIN_S + (int64_t)step * 10 + host % 10);
            }
        }
        int rc = strbuf_error(&text);
        if (rc == 0)
            rc = take_in(b, strbuf_span(&text), false);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int run_first(struct bench *b, uint64_t count)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    b->step_ns = 60 * NS_PER_S;
    for (uint64_t i = 0; i < count; i++)
        strbuf_addf(&text,
                    "metric_%02u,cluster=fritz,hostname=f%04u,type=hwthread,type-id=%u "
                    "value=%u.5 %" PRId64 "\n",
                    (unsigned)(i % 10), (unsigned)(i / 720), (unsigned)(i / 10 % 72),
                    (unsigned)(draw() % 100), BEGIN_S);
    return strbuf_error(&text) ? -ENOMEM : take_in(b, strbuf_span(&text), false);
}

static int run_text(struct bench *b)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    ssize_t n = 1;
    b->step_ns = 60 * NS_PER_S;
    while (n > 0) {
        if (strbuf_reserve(&text, PIECE_BYTES_READ) < 0)
            return -ENOMEM;
        n = read(STDIN_FILENO, text.data + text.size, PIECE_BYTES_READ);
        if (n < 0)
            return -errno;
        text.size += (size_t)n;
    }
    return take_in(b, strbuf_span(&text), false);
}

static uint64_t resident_bytes(void)
{
    uint64_t size = 0, resident = 0;
    AUTO_FCLOSE FILE *f = fopen("/proc/self/statm", "re");
    char line[128] = "";
    if (!f || !fgets(line, sizeof line, f))
        return 0;
    struct span rest = span_of(line), word;
    (void)span_cut(&rest, ' ', &word);
    (void)number_parse_u64(word, &size);
    (void)span_cut(&rest, ' ', &word);
    (void)number_parse_u64(word, &resident);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int count_values(void *arg, const int64_t *times, const double *values,
                        size_t count)
{
    uint64_t *total = arg;
    (void)times;
    for (size_t i = 0; i < count; i++)
        *total += !isnan(values[i]);
    return 0;
}

static uint64_t read_back(const struct bench *b, double *ret_s)
{
    uint64_t total = 0;
    size_t cursor = 0;
    struct span key;
    uintptr_t *value;
    int64_t begin_ns = clock_cpu_ns();
    unsigned reader = shard_enter(b->shard);
    while (hashmap_next(&b->known, &cursor, &key, &value))
        (void)series_read((const struct metric_series *)*value, 0, INT64_MAX,
                          count_values, &total);
    shard_leave(b->shard, reader);
    *ret_s = (double)(clock_cpu_ns() - begin_ns) / 1e9;
    return total;
}

static void report(const struct bench *b, uint64_t base_bytes)
{
    struct shard_status s;
    double read_s;
    shard_status(b->shard, &s);
    uint64_t total = read_back(b, &read_s);
    double n = (double)b->samples, series = (double)s.series_count;
    printf("samples %" PRIu64 ", series %zu, read back %" PRIu64 "\n", b->samples,
           s.series_count, total);
    printf("ingest: %.2f M samples a CPU-second (%.0f ns each)\n",
           n / (double)b->cpu_ns * 1e3, (double)b->cpu_ns / n);
    printf("memory of the store: %.3f bytes a sample, %.0f bytes a series\n",
           (double)s.slab_bytes / n, (double)s.slab_bytes / series);
    printf("resident, growth: %.1f MB, %.3f bytes a sample\n",
           (double)(resident_bytes() - base_bytes) / 1e6,
           (double)(resident_bytes() - base_bytes) / n);
    printf("read back: %.0f M samples a CPU-second; lost by two in a slot: %" PRIu64
           "\n",
           (double)total / read_s / 1e6, s.samples.overwritten);
}

int main(int argc, char **argv)
{
    static struct bench b;
    struct shard_options options = { .series_max = 10000000 };
    uint64_t count = 0;
    const char *what = argc > 1 ? argv[1] : "";
    if (argc > 2 && number_parse_u64(span_of(argv[2]), &count) < 0)
        what = "";
    uint64_t base_bytes = resident_bytes();
    int rc = shard_new(&options, &b.shard);
    line_reader_init(&b.reader, SPAN(""), NS_PER_S, 0);
    if (rc == 0 && strcmp(what, "a") == 0)
        rc = run_a(&b, count ? count : 1440);
    else if (rc == 0 && strcmp(what, "first") == 0)
        rc = run_first(&b, count ? count : 720000);
    else if (rc == 0 && strcmp(what, "text") == 0)
        rc = run_text(&b);
    else
        rc = -EINVAL;
    if (rc < 0)
        fprintf(stderr, "bench_store a|first|text [COUNT]: %s\n", strerror(-rc));
    else
        report(&b, base_bytes);
    hashmap_done(&b.known);
    shard_free(b.shard);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
