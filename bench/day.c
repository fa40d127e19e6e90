/* SPDX-License-Identifier: Apache-2.0 */
/* bench_day - a day of the metric store in a few minutes: workload A (1000 hosts x 20
 * metrics, a sample each 10 s) through the store's door, on a played clock by which
 * checkpoints, retention and archive go.
 *
 *     bench_day run DIR HOURS RETENTION-H [CHECKPOINT-S [kill]]
 *         two threads put batches of up to 1000 samples; DIR must not be there.  A line
 *         an hour, then how long a put took.  kill: ends as by kill -9, and does not
 *         read back
 *     bench_day open DIR [BEGIN-NS]
 *         opens what run has left: until a first series is read, and is right; then
 *         all of them.  BEGIN-NS: of the monotonic clock, when the process was started
 *
 * Beside DIR it leaves DIR.clock, the page of the clock, and DIR.sums, what each series
 * is to hold.  The clock waits when a checkpoint is more than a minute late, so that
 * none is left out; all the rest is as fast as the machine is.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "store/store.h"

#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define HOSTS 1000
#define METRICS 20
#define SERIES (HOSTS * METRICS)
#define WRITERS 2
#define OWN (SERIES / WRITERS)
#define BATCH 1000
#define STEP_S 10
#define STEP_NS (STEP_S * NS_PER_S)
#define BEGIN_NS (INT64_C(1700000000) * NS_PER_S)
#define SUB 16 /* parts of a power of two, in which waits are counted */
#define BUCKETS (48 * SUB)
#define LATE_S 60
#define LONG_NS (10 * NS_PER_MS)
#define LONG_MAX 12

/* What a series is to hold. */
struct sum {
    uint64_t count;
    uint64_t hash;
};

struct long_put {
    int64_t wall_ns, cpu_ns;
    int64_t t_ns;
    long yields, preemptions; /* left the processor by itself, or was sent away */
};

struct writer {
    struct day *day;
    unsigned number;
    pthread_t thread;
    int rc;
    int64_t cpu_ns;
    uint64_t puts;
    uint64_t waits[BUCKETS];
    struct long_put longest[LONG_MAX]; /* the longest first */
    struct sample points[METRIC_SHARDS_MAX][BATCH];
    size_t counts[METRIC_SHARDS_MAX];
    double values[OWN];
    uint64_t seeds[OWN];
};

struct day {
    const char *dir;
    uint64_t hours, retention_h, checkpoint_s;
    bool is_killed;
    struct metric_store *store;
    pthread_barrier_t barrier;
    int64_t t_ns;
    double base_mb;  /* resident before the first sample */
    int64_t held_ns; /* the clock waited for the workers */
    struct level_series *series[SERIES];
    struct sum sums[SERIES];
    struct writer writers[WRITERS];
    bool is_over;
};

static struct {
    char magic[8];
    _Atomic int64_t t_ns;
} * page;

/* ---- the clock ---- */

static int begin_clock(const char *dir, struct err *err)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s.clock", dir);
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *page) < 0)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    memcpy(page->magic, "baroclk1", sizeof page->magic);
    (void)setenv("BARO_CLOCK", path, 1);
    return clock_start(err);
}

/* ---- workload A ---- */

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* 4 that rarely change, 6 walks of two decimals, 5 noises of one, 3 of integers, 2 that
 * are mostly zero. */
static double next_value(unsigned metric, double last, uint64_t *state)
{
    uint64_t r = draw(state);
    if (metric < 4)
        return r % 200 ? last : (double)(r / 200 % 64);
    if (metric < 10)
        return (double)((int64_t)(last * 100 + (last < 0 ? -0.5 : 0.5)) +
                        (int64_t)(r % 201) - 100) /
               100;
    if (metric < 15)
        return (double)(r % 20000) / 10;
    if (metric < 18)
        return (double)(r % 10000);
    return r % 50 ? 0 : (double)(r / 50 % 100000);
}

static int find_series(struct day *day)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < SERIES; i++) {
        char path[32], name[16];
        (void)snprintf(path, sizeof path, "alex/a%04zu", i / METRICS);
        (void)snprintf(name, sizeof name, "metric_%02zu", i % METRICS);
        struct metric m = { .name = span_of(name), .step_ns = STEP_NS };
        struct metric_table *table = metric_store_metrics(day->store);
        const struct metric *metric = metric_find(table, m.name);
        rc = metric ? 0 : metric_declare(table, &m, &metric);
        if (rc == 0)
            rc =
                metric_store_series(day->store, span_of(path), metric, &day->series[i]);
    }
    return rc;
}

static void add_sample(struct sum *sum, int64_t t_ns, double value)
{
    uint64_t x = (uint64_t)t_ns * UINT64_C(0x9E3779B97F4A7C15) ^ double_bits(value);
    x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    sum->hash += x ^ x >> 32;
    sum->count++;
}

/* ---- putting, and how long it takes ---- */

static size_t bucket_of(int64_t ns)
{
    uint64_t n = ns < SUB ? SUB : (uint64_t)ns;
    unsigned shift = 0;
    while (n >= 2 * SUB) {
        n >>= 1;
        shift++;
    }
    size_t bucket = (size_t)shift * SUB + (size_t)n - SUB;
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static double bucket_ms(size_t bucket)
{
    return (double)((bucket % SUB + SUB + 1) << bucket / SUB) / 1e6;
}

static void note_long(struct writer *w, const struct long_put *put)
{
    size_t at = LONG_MAX;
    while (at > 0 && w->longest[at - 1].wall_ns < put->wall_ns)
        at--;
    if (at == LONG_MAX)
        return;
    memmove(&w->longest[at + 1], &w->longest[at],
            (LONG_MAX - 1 - at) * sizeof w->longest[0]);
    w->longest[at] = *put;
}

static int put(struct writer *w, size_t shard)
{
    struct metric_batch batch = { shard, w->points[shard], w->counts[shard],
                                  METRIC_STORED };
    struct sample_counts taken = { 0 };
    struct rusage before, after;
    (void)getrusage(RUSAGE_THREAD, &before);
    int64_t cpu_ns = clock_cpu_ns(), begin_ns = clock_monotonic_ns();
    int rc = metric_store_put(w->day->store, &batch, &taken);
    int64_t wall_ns = clock_monotonic_ns() - begin_ns;
    cpu_ns = clock_cpu_ns() - cpu_ns;
    w->cpu_ns += cpu_ns;
    w->puts++;
    w->waits[bucket_of(wall_ns)]++;
    if (wall_ns > LONG_NS) {
        (void)getrusage(RUSAGE_THREAD, &after);
        note_long(w, &(struct long_put){
                         .wall_ns = wall_ns,
                         .cpu_ns = cpu_ns,
                         .t_ns = w->day->t_ns,
                         .yields = after.ru_nvcsw - before.ru_nvcsw,
                         .preemptions = after.ru_nivcsw - before.ru_nivcsw,
                     });
    }
    if (rc == 0 && taken.accepted != batch.count)
        rc = -ERANGE;
    w->counts[shard] = 0;
    return rc;
}

static int put_step(struct writer *w)
{
    struct day *day = w->day;
    int rc = 0;
    for (size_t n = 0; rc == 0 && n < OWN; n++) {
        size_t i = (size_t)w->number * OWN + n;
        size_t shard = day->series[i]->level->shard;
        int64_t t_ns = day->t_ns + (int64_t)(i / METRICS % 10) * NS_PER_S;
        w->values[n] = next_value((unsigned)(i % METRICS), w->values[n], &w->seeds[n]);
        w->points[shard][w->counts[shard]++] =
            (struct sample){ day->series[i], t_ns, w->values[n] };
        add_sample(&day->sums[i], t_ns, w->values[n]);
        if (w->counts[shard] == BATCH)
            rc = put(w, shard);
    }
    for (size_t s = 0; rc == 0 && s < metric_store_shard_count(day->store); s++)
        rc = w->counts[s] ? put(w, s) : 0;
    return rc;
}

static void *write_day(void *arg)
{
    struct writer *w = arg;
    for (;;) {
        (void)pthread_barrier_wait(&w->day->barrier);
        if (w->day->is_over)
            return NULL;
        w->rc = w->rc < 0 ? w->rc : put_step(w);
        (void)pthread_barrier_wait(&w->day->barrier);
    }
}

/* ---- how it is ---- */

static double memory_mb(const char *key)
{
    AUTO_FCLOSE FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    uint64_t kb = 0;
    while (f && fgets(line, sizeof line, f)) {
        struct span rest = span_of(line);
        if (!span_starts(rest, key))
            continue;
        rest = span_trim(span_skip(rest, strlen(key)));
        struct span word;
        (void)span_cut(&rest, ' ', &word);
        (void)number_parse_u64(word, &kb);
    }
    return (double)kb * 1.024e-3;
}

static void print_header(void)
{
    printf("| hour | anonymous MB | malloc MB | of files MB | used MB | of slabs MB | "
           "B a sample in memory | pieces used again | slots let go | checkpoints | "
           "files | MB | archives | MB | log B a sample |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static void print_hour(struct day *day, uint64_t hour)
{
    struct metric_store_status s;
    metric_store_status(day->store, &s);
    double all = (double)s.memory.samples.accepted;
    double held = all - (double)s.memory.released_slots;
    const struct metric_worker_status *c = &s.workers[METRIC_WORKER_CHECKPOINT];
    struct mallinfo2 heap = mallinfo2();
    printf("| %" PRIu64 " | %.1f | %.1f | %.1f | %.1f | %.1f | %.3f | %" PRIu64
           " | %.1f M | "
           "%" PRIu64 " | %" PRIu64 " | %.1f | %" PRIu64 " | %.1f | %.2f |\n",
           hour, memory_mb("RssAnon:"), (double)(heap.uordblks + heap.hblkhd) / 1e6,
           memory_mb("RssFile:"), (double)s.memory.used_bytes / 1e6,
           (double)s.memory.slab_bytes / 1e6,
           (memory_mb("RssAnon:") + memory_mb("RssFile:") - day->base_mb) * 1e6 / held,
           s.memory.reused_count, (double)s.memory.released_slots / 1e6, c->runs,
           s.block_files, (double)s.block_file_bytes / 1e6, s.archives,
           (double)s.archive_bytes / 1e6, (double)s.log_bytes / all);
    (void)fflush(stdout);
}

static double share_ms(const struct day *day, uint64_t puts, double share)
{
    uint64_t seen = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        for (size_t w = 0; w < WRITERS; w++)
            seen += day->writers[w].waits[b];
        if ((double)seen >= share * (double)puts)
            return bucket_ms(b);
    }
    return 0;
}

static void print_waits(const struct day *day)
{
    uint64_t puts = 0;
    int64_t cpu_ns = 0;
    for (size_t w = 0; w < WRITERS; w++) {
        puts += day->writers[w].puts;
        cpu_ns += day->writers[w].cpu_ns;
    }
    double samples = (double)day->hours * 3600 / STEP_S * SERIES;
    printf("\nput: %.0f M samples, %" PRIu64 " batches, %.2f M samples a CPU-second of "
           "writers\n",
           samples / 1e6, puts, samples / (double)cpu_ns * 1e3);
    printf("a put of up to %d samples, ms: median %.3f, 99 %% %.3f, 99.9 %% %.3f, "
           "99.99 %% %.3f\n",
           BATCH, share_ms(day, puts, .5), share_ms(day, puts, .99),
           share_ms(day, puts, .999), share_ms(day, puts, .9999));
    for (size_t w = 0; w < WRITERS; w++) {
        for (size_t i = 0; i < LONG_MAX && day->writers[w].longest[i].wall_ns; i++) {
            const struct long_put *p = &day->writers[w].longest[i];
            printf("  writer %zu: %.1f ms, of it CPU %.1f ms, waited %ld times, sent "
                   "away %ld times, at %.2f h\n",
                   w, (double)p->wall_ns / 1e6, (double)p->cpu_ns / 1e6, p->yields,
                   p->preemptions, (double)(p->t_ns - BEGIN_NS) / 3600e9);
        }
    }
    printf("the clock waited %.2f s for checkpoints\n", (double)day->held_ns / 1e9);
}

static void print_workers(struct day *day)
{
    struct metric_store_status s;
    metric_store_status(day->store, &s);
    for (int i = 0; i < METRIC_WORKER_COUNT; i++)
        printf("%s: %" PRIu64 " runs, %" PRIu64 " failures, %" PRIu64
               " done, the last took %.3f s\n",
               metric_worker_name((enum metric_worker)i), s.workers[i].runs,
               s.workers[i].failures, s.workers[i].done,
               (double)s.workers[i].last_duration_ns / 1e9);
    struct rusage use;
    (void)getrusage(RUSAGE_SELF, &use);
    printf("process: %.1f s of CPU in user mode, %.1f s in the kernel, at most %.1f MB "
           "resident\n",
           (double)use.ru_utime.tv_sec + (double)use.ru_utime.tv_usec / 1e6,
           (double)use.ru_stime.tv_sec + (double)use.ru_stime.tv_usec / 1e6,
           (double)use.ru_maxrss * 1.024e-3);
}

static double process_cpu_s(void)
{
    struct rusage use;
    (void)getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

/* ---- reading back ---- */

static int add_samples(void *arg, const int64_t *times, const double *values,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (double_bits(values[i]) != MISSING_BITS)
            add_sample(arg, times[i], values[i]);
    }
    return 0;
}

static bool is_right(struct day *day, size_t i, unsigned *from)
{
    struct sum sum = { 0 };
    struct metric_read read = { 0 };
    struct metric_range range = { 0, INT64_MAX / 2, add_samples, &sum };
    unsigned reader = metric_store_enter(day->store);
    int rc = metric_store_read(day->store, day->series[i], &range, &read);
    metric_store_leave(day->store, reader);
    *from |= read.from;
    return rc == 0 && sum.count == day->sums[i].count && sum.hash == day->sums[i].hash;
}

static int read_back(struct day *day)
{
    size_t wrong = 0;
    unsigned from = 0;
    int64_t begin_ns = clock_cpu_ns();
    for (size_t i = 0; i < SERIES; i++)
        wrong += !is_right(day, i, &from);
    printf(
        "read back, all of it: %zu of %d series are not as they were put; from%s%s%s; "
        "%.1f s of CPU\n",
        wrong, SERIES, from & METRIC_FROM_MEMORY ? " memory" : "",
        from & METRIC_FROM_CHECKPOINT ? " checkpoints" : "",
        from & METRIC_FROM_ARCHIVE ? " archive" : "",
        (double)(clock_cpu_ns() - begin_ns) / 1e9);
    return wrong ? -EBADMSG : 0;
}

/* ---- run ---- */

static void say(void *arg, enum metric_store_notice notice, const char *text)
{
    (void)arg;
    if (notice != STORE_INFO)
        printf("store: %s\n", text);
}

static int open_store(struct day *day, struct err *err)
{
    const struct metric_store_options options = {
        .dir = day->dir,
        .retention_ns = (int64_t)day->retention_h * 3600 * NS_PER_S,
        .checkpoint_interval_ns = (int64_t)day->checkpoint_s * NS_PER_S,
        .checkpoint_log_bytes = day->checkpoint_s > 3600 ? UINT64_MAX : 0,
        .archive_interval_ns = 3600 * NS_PER_S,
        .report = say,
    };
    int rc = metric_store_open(&options, &day->store, err);
    return rc < 0 ? rc : find_series(day);
}

/* One that is a minute late is waited for. */
static void hold_clock(struct day *day)
{
    const struct timespec pause = { .tv_nsec = NS_PER_MS };
    int64_t begin_ns = clock_monotonic_ns();
    int64_t late_ns = (int64_t)(day->checkpoint_s + LATE_S) * NS_PER_S;
    for (;;) {
        struct metric_store_status s;
        metric_store_status(day->store, &s);
        int64_t last_ns = s.workers[METRIC_WORKER_CHECKPOINT].last_t_ns;
        if (day->t_ns - (last_ns ? last_ns : BEGIN_NS) < late_ns)
            break;
        (void)nanosleep(&pause, NULL);
    }
    day->held_ns += clock_monotonic_ns() - begin_ns;
}

static int run_steps(struct day *day)
{
    uint64_t steps = day->hours * 3600 / STEP_S;
    int rc = 0;
    for (uint64_t step = 0; rc == 0 && step < steps; step++) {
        day->t_ns = BEGIN_NS + (int64_t)step * STEP_NS;
        atomic_store(&page->t_ns, day->t_ns);
        if (step % (3600 / STEP_S) == 0 && step > 0)
            print_hour(day, step * STEP_S / 3600);
        hold_clock(day);
        (void)pthread_barrier_wait(&day->barrier);
        (void)pthread_barrier_wait(&day->barrier);
        for (size_t w = 0; w < WRITERS; w++)
            rc = rc < 0 ? rc : day->writers[w].rc;
    }
    print_hour(day, day->hours);
    return rc;
}

static int write_sums(const struct day *day, struct err *err)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s.sums", day->dir);
    return file_replace(path, day->sums, sizeof day->sums, 0600, err);
}

static int run(struct day *day, struct err *err)
{
    int rc = begin_clock(day->dir, err);
    if (rc < 0)
        return rc;
    atomic_store(&page->t_ns, BEGIN_NS);
    memset(day->writers, 1, sizeof day->writers); /* so that its pages are there */
    memset(day->writers, 0, sizeof day->writers);
    memset(day->sums, 1, sizeof day->sums);
    memset(day->sums, 0, sizeof day->sums);
    day->base_mb = memory_mb("RssAnon:") + memory_mb("RssFile:");
    rc = open_store(day, err);
    if (rc < 0)
        return rc;
    (void)pthread_barrier_init(&day->barrier, NULL, WRITERS + 1);
    for (unsigned n = 0; n < WRITERS; n++) {
        struct writer *w = &day->writers[n];
        w->day = day;
        w->number = n;
        for (size_t i = 0; i < OWN; i++)
            w->seeds[i] = UINT64_C(88172645463325252) + (n * OWN + i) * 7919;
        if (pthread_create(&w->thread, NULL, write_day, w) != 0)
            return err_set(err, EAGAIN, "a thread could not be started");
    }
    /* The workers are to see the clock's beginning. */
    print_header();
    (void)nanosleep(&(struct timespec){ .tv_nsec = 200 * NS_PER_MS }, NULL);
    rc = run_steps(day);
    day->is_over = true;
    (void)pthread_barrier_wait(&day->barrier);
    for (unsigned n = 0; n < WRITERS; n++)
        (void)pthread_join(day->writers[n].thread, NULL);
    if (rc < 0)
        return err_set(err, -rc, "put: %s", strerror(-rc));
    print_waits(day);
    print_workers(day);
    rc = write_sums(day, err);
    (void)fflush(stdout);
    if (rc == 0 && day->is_killed)
        (void)raise(SIGKILL);
    return rc == 0 ? read_back(day) : rc;
}

/* ---- open ---- */

static int open_again(struct day *day, int64_t begin_ns, struct err *err)
{
    char path[4096];
    AUTO(strbuf_done) struct strbuf sums = STRBUF_INIT;
    unsigned from = 0;
    if (begin_ns == 0)
        begin_ns = clock_monotonic_ns();
    (void)snprintf(path, sizeof path, "%s.sums", day->dir);
    int rc = begin_clock(day->dir, err);
    if (rc == 0)
        rc = file_read(path, sizeof day->sums, &sums, err);
    if (rc == 0 && sums.size != sizeof day->sums)
        rc = err_set(err, EBADMSG, "'%s' is of another size", path);
    if (rc == 0)
        memcpy(day->sums, sums.data, sizeof day->sums);
    if (rc == 0)
        rc = open_store(day, err);
    if (rc < 0)
        return rc;
    bool is_first_right = is_right(day, SERIES / 2, &from);
    printf("open, find every series, read one of %" PRIu64 " samples: %.3f s, CPU of "
           "all threads %.3f s, %s\n",
           day->sums[SERIES / 2].count, (double)(clock_monotonic_ns() - begin_ns) / 1e9,
           process_cpu_s(), is_first_right ? "right" : "wrong");
    printf("resident then: %.1f MB anonymous, %.1f MB of files\n",
           memory_mb("RssAnon:"), memory_mb("RssFile:"));
    return read_back(day);
}

static int number_at(int argc, char **argv, int at, uint64_t *ret)
{
    return at < argc ? number_parse_u64(span_of(argv[at]), ret) : 0;
}

int main(int argc, char **argv)
{
    static struct day day = { .hours = 24, .retention_h = 4, .checkpoint_s = 300 };
    struct err err = { 0 };
    uint64_t begin_ns = 0;
    const char *what = argc > 2 ? argv[1] : "";
    day.dir = argv[argc > 2 ? 2 : 0];
    int rc = -EINVAL;
    if (strcmp(what, "run") == 0 && number_at(argc, argv, 3, &day.hours) == 0 &&
        number_at(argc, argv, 4, &day.retention_h) == 0 &&
        number_at(argc, argv, 5, &day.checkpoint_s) == 0) {
        day.is_killed = argc > 6;
        rc = run(&day, &err);
    } else if (strcmp(what, "open") == 0 && number_at(argc, argv, 3, &begin_ns) == 0) {
        day.retention_h = 0;
        rc = open_again(&day, (int64_t)begin_ns, &err);
    } else {
        (void)err_set(&err, EINVAL,
                      "run DIR HOURS RETENTION-H [CHECKPOINT-S [kill]] | "
                      "open DIR [BEGIN-NS]");
    }
    if (rc < 0)
        fprintf(stderr, "bench_day: %s\n", err.text[0] ? err.text : strerror(-rc));
    metric_store_close(day.store);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
