/* SPDX-License-Identifier: Apache-2.0 */
/* store_stress - a writer to be killed, and one that looks what is left.
 *
 *     store_stress write DIR FIRST COUNT     batches FIRST .. ; "ack N" for each,
 * "again N: why" for one that was refused, which is sent until it is taken store_stress
 * check DIR ACKED           every sample of batches up to ACKED
 *
 * What a batch holds follows from its number: a sample of each series, and one that is
 * late for one of them.  Checkpoints, archives and releases go on all the while.  On
 * SIGTERM the writer closes the store.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "store/store.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#define HOSTS 12
#define METRICS 5
#define SERIES (HOSTS * METRICS)
#define LATE_BY 300
#define RELEASE_BY 900
#define STEP_NS (10 * NS_PER_S)
#define BEGIN_NS (INT64_C(1700000007) * NS_PER_S)

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
}

static void say(void *arg, enum metric_store_notice notice, const char *text)
{
    static const char *const words[] = { "says", "warns", "fails" };
    (void)arg;
    fprintf(stderr, "%s: %s\n", words[notice], text);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return x ^ x >> 29;
}

/* Integers, decimals, and now and then all 64 bits. */
static uint64_t value_of(uint64_t batch, uint64_t series, uint64_t salt)
{
    uint64_t x = mix(mix(batch * SERIES + series) + salt);
    double value = series % 3 == 0 ? (double)(x % 1000) : (double)(x % 100000) / 100;
    uint64_t bits = x % 16 == 0 ? x : double_bits(value);
    return bits == MISSING_BITS ? bits + 1 : bits;
}

static uint64_t late_series(uint64_t batch)
{
    return batch * 7 % SERIES;
}

static int open_store(const char *dir, struct metric_store **ret)
{
    struct err err = { 0 };
    struct metric_store_options options = {
        .dir = dir,
        .shard_count = 3,
        .checkpoint_interval_ns = 40 * NS_PER_MS,
        .archive_interval_ns = 1,
        .sync_interval_ns = 10 * NS_PER_MS,
        .report = say,
    };
    int rc = metric_store_open(&options, ret, &err);
    if (rc < 0)
        fprintf(stderr, "store_stress: %s\n", err.text);
    return rc;
}

static int find_series(struct metric_store *store, uint64_t i,
                       struct level_series **ret)
{
    char path[64], name[16];
    (void)snprintf(path, sizeof path, "c/h%" PRIu64, i / METRICS);
    (void)snprintf(name, sizeof name, "m%" PRIu64, i % METRICS);
    struct metric m = { .name = span_of(name), .step_ns = STEP_NS };
    const struct metric *metric = metric_find(metric_store_metrics(store), m.name);
    int rc = metric ? 0 : metric_declare(metric_store_metrics(store), &m, &metric);
    return rc < 0 ? rc : metric_store_series(store, span_of(path), metric, ret);
}

static int64_t time_of(uint64_t batch)
{
    return BEGIN_NS + (int64_t)batch * STEP_NS;
}

static int put_batch(struct metric_store *store, struct level_series *const *series,
                     uint64_t batch)
{
    int rc = 0;
    for (size_t shard = 0; rc == 0 && shard < metric_store_shard_count(store);
         shard++) {
        struct sample points[SERIES + 1];
        struct sample_counts taken = { 0 };
        size_t count = 0;
        for (uint64_t i = 0; i < SERIES; i++) {
            if (series[i]->level->shard == shard)
                points[count++] = (struct sample){ series[i], time_of(batch),
                                                   bits_double(value_of(batch, i, 0)) };
        }
        uint64_t late = late_series(batch);
        if (batch >= LATE_BY && series[late]->level->shard == shard)
            points[count++] = (struct sample){ series[late], time_of(batch - LATE_BY),
                                               bits_double(value_of(batch, late, 1)) };
        struct metric_batch b = { shard, points, count,
                                  batch % 50 ? METRIC_STORED : METRIC_DURABLE };
        rc = count > 0 ? metric_store_put(store, &b, &taken) : 0;
        if (rc == 0 && taken.accepted != count)
            rc = -EDOM;
    }
    return rc;
}

static int write_batches(const char *dir, uint64_t first, uint64_t count)
{
    static const struct timespec pause = { .tv_nsec = 2000000 };
    AUTO(metric_store_close) struct metric_store *store = NULL;
    struct level_series *series[SERIES];
    int rc = open_store(dir, &store);
    for (uint64_t i = 0; rc == 0 && i < SERIES; i++)
        rc = find_series(store, i, &series[i]);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    printf("open\n");
    for (uint64_t batch = first; rc == 0 && batch < first + count && !is_over;) {
        rc = put_batch(store, series, batch);
        if (rc < 0 && rc != -EDOM) {
            printf("again %" PRIu64 ": %s\n", batch, strerror(-rc));
            (void)nanosleep(&pause, NULL);
            rc = 0;
            continue;
        }
        if (rc == 0)
            printf("ack %" PRIu64 "\n", batch);
        batch++;
        if (batch % 64 == 0 && batch > RELEASE_BY)
            (void)metric_store_release(store, SPAN(""), time_of(batch - RELEASE_BY));
        /* Their own time would seldom come within a test. */
        if (batch % 500 == 0 && metric_store_checkpoint(store, NULL) == 0)
            (void)metric_store_archive(store, NULL);
    }
    return rc;
}

struct check {
    uint64_t series, acked;
    uint64_t next; /* batch whose sample comes next */
    uint64_t missing, wrong, extra;
    int64_t from_ns;
};

static bool is_expected(const struct check *c, uint64_t batch, uint64_t bits)
{
    uint64_t late = batch + LATE_BY;
    bool has_late = late_series(late) == c->series;
    bool is_first = bits == value_of(batch, c->series, 0);
    bool is_late = has_late && bits == value_of(late, c->series, 1);
    /* One batch more may have been taken, without its word. */
    if (has_late && late <= c->acked)
        return is_late;
    return is_first || (is_late && late <= c->acked + 1);
}

static int check_samples(void *arg, const int64_t *times, const double *values,
                         size_t count)
{
    struct check *c = arg;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = double_bits(values[i]);
        uint64_t batch = (uint64_t)((times[i] - BEGIN_NS) / STEP_NS);
        if (bits == MISSING_BITS)
            continue;
        if ((times[i] - BEGIN_NS) % STEP_NS != 0 || batch > c->acked + 1) {
            c->extra++;
            continue;
        }
        c->missing += batch > c->next ? batch - c->next : 0;
        c->wrong += !is_expected(c, batch, bits);
        c->next = batch + 1;
    }
    return 0;
}

static int check_batches(const char *dir, uint64_t acked)
{
    AUTO(metric_store_close) struct metric_store *store = NULL;
    uint64_t missing = 0, wrong = 0, extra = 0;
    unsigned from = 0;
    int rc = open_store(dir, &store);
    for (uint64_t i = 0; rc == 0 && i < SERIES; i++) {
        struct level_series *series = NULL;
        struct check c = { .series = i, .acked = acked };
        struct metric_range range = { 0, INT64_MAX / 2, check_samples, &c };
        struct metric_read read = { 0 };
        rc = find_series(store, i, &series);
        unsigned reader = metric_store_enter(store);
        if (rc == 0)
            rc = metric_store_read(store, series, &range, &read);
        metric_store_leave(store, reader);
        missing += c.next <= acked ? acked + 1 - c.next : 0;
        missing += c.missing + read.unreadable;
        wrong += c.wrong;
        extra += c.extra;
        from |= read.from;
    }
    struct metric_store_status status;
    if (rc == 0) {
        metric_store_status(store, &status);
        printf("missing %" PRIu64 " wrong %" PRIu64 " extra %" PRIu64
               " damaged %" PRIu64 " lost %" PRIu64 " from %u\n",
               missing, wrong, extra, status.damaged_blocks, status.lost_samples, from);
    }
    return rc;
}

int main(int argc, char **argv)
{
    uint64_t first = 0, count = 0;
    bool is_write = argc == 5 && strcmp(argv[1], "write") == 0;
    bool is_check = argc == 4 && strcmp(argv[1], "check") == 0;
    if ((!is_write && !is_check) || number_parse_u64(span_of(argv[3]), &first) < 0 ||
        (is_write && number_parse_u64(span_of(argv[4]), &count) < 0)) {
        fprintf(stderr, "store_stress write DIR FIRST COUNT | check DIR ACKED\n");
        return EXIT_USAGE;
    }
    (void)signal(SIGTERM, on_signal);
    (void)signal(SIGXFSZ, SIG_IGN);
    int rc =
        is_write ? write_batches(argv[2], first, count) : check_batches(argv[2], first);
    if (rc < 0)
        fprintf(stderr, "store_stress: %s\n", strerror(-rc));
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
