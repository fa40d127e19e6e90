/* SPDX-License-Identifier: Apache-2.0 */
/* test_workers - retention, memory cap, archive, damage on disk; writers, readers and
 * workers at once.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/test/testing.h"
#include "store/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define STEP (10 * NS_PER_S)
#define BEGIN (INT64_C(1700000003) * NS_PER_S)
#define HOSTS 6

struct heard {
    _Atomic int warnings, failures;
    pthread_mutex_t lock;
    char last[1024];
};

static void hear(void *arg, enum metric_store_notice notice, const char *text)
{
    struct heard *heard = arg;
    heard->warnings += notice == STORE_WARNING;
    heard->failures += notice == STORE_ERROR;
    LOCKED(&heard->lock);
    (void)snprintf(heard->last, sizeof heard->last, "%s", text);
}

/* The page that BARO_CLOCK names. */
static struct {
    char magic[8];
    _Atomic int64_t t_ns;
} * page;

static void play_clock(int64_t t_ns)
{
    atomic_store(&page->t_ns, t_ns);
}

static void begin_clock(void)
{
    char path[] = "/tmp/baro-clock.XXXXXX";
    struct err err = { 0 };
    int fd = mkstemp(path);
    assert_true(fd >= 0 && ftruncate(fd, sizeof *page) == 0);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    memcpy(page->magic, "baroclk1", sizeof page->magic);
    play_clock(BEGIN);
    (void)setenv("BARO_CLOCK", path, 1);
    assert_int_equal(clock_start(&err), 0);
    (void)unlink(path);
    (void)close(fd);
}

static char dir[64];

static int make_dir(void **state)
{
    (void)state;
    play_clock(BEGIN + 100000 * STEP);
    (void)snprintf(dir, sizeof dir, "%s/baro-workers.XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    (void)state;
    DIR *d = opendir(dir);
    struct dirent *entry;
    while (d && (entry = readdir(d)))
        (void)unlinkat(dirfd(d), entry->d_name, 0);
    if (d)
        (void)closedir(d);
    return rmdir(dir);
}

static struct metric_store *open_store(struct metric_store_options options)
{
    struct metric_store *store = NULL;
    struct err err = { 0 };
    if (metric_store_open(&options, &store, &err) < 0)
        fail_msg("%s", err.text);
    return store;
}

static struct level_series *series_of(struct metric_store *store, int host)
{
    struct metric m = { .name = SPAN("load"), .step_ns = STEP };
    const struct metric *metric = metric_find(metric_store_metrics(store), m.name);
    struct level_series *series = NULL;
    char path[32];
    (void)snprintf(path, sizeof path, "c/h%d", host);
    if (!metric)
        assert_int_equal(metric_declare(metric_store_metrics(store), &m, &metric), 0);
    assert_int_equal(metric_store_series(store, span_of(path), metric, &series), 0);
    return series;
}

static int put(struct metric_store *store, int host, int64_t slot, double value)
{
    struct sample point = { series_of(store, host), BEGIN + slot * STEP, value };
    struct metric_batch batch = { point.series->level->shard, &point, 1,
                                  METRIC_STORED };
    struct sample_counts taken = { 0 };
    int rc = metric_store_put(store, &batch, &taken);
    return rc < 0 ? rc : (int)taken.accepted;
}

static void fill(struct metric_store *store, int64_t from, int64_t to)
{
    for (int64_t slot = from; slot < to; slot++) {
        for (int host = 0; host < HOSTS; host++)
            assert_int_equal(put(store, host, slot, (double)(slot * 7 % 1001)), 1);
    }
}

/* Samples in order whose values are those of their slots. */
struct count {
    uint64_t good, wrong;
};

static int count_samples(void *arg, const int64_t *times, const double *values,
                         size_t count)
{
    struct count *c = arg;
    for (size_t i = 0; i < count; i++) {
        int64_t slot = (times[i] - BEGIN) / STEP;
        if (isnan(values[i]))
            continue;
        c->good += values[i] == (double)(slot * 7 % 1001);
        c->wrong += values[i] != (double)(slot * 7 % 1001);
    }
    return 0;
}

static struct count count_all(struct metric_store *store, int host,
                              struct metric_read *read)
{
    struct count c = { 0 };
    struct metric_range range = { 0, INT64_MAX / 2, count_samples, &c };
    const struct level_series *series = series_of(store, host);
    unsigned reader = metric_store_enter(store);
    assert_int_equal(metric_store_read(store, series, &range, read), 0);
    metric_store_leave(store, reader);
    return c;
}

static struct metric_store_status status_of(struct metric_store *store)
{
    struct metric_store_status status;
    metric_store_status(store, &status);
    return status;
}

static void history_outlives_memory(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct err err = { 0 };
    struct metric_read read = { 0 };
    struct metric_store_options options = { .dir = dir,
                                            .shard_count = 2,
                                            .archive_interval_ns = 3600 * NS_PER_S,
                                            .report = hear,
                                            .report_arg = &heard };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    fill(store, 0, 2000);
    /* Nothing is in a file yet, so nothing goes. */
    assert_int_equal(metric_store_release(store, SPAN(""), BEGIN + 1500 * STEP), 0);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    assert_true(metric_store_release(store, SPAN("c/h1"), BEGIN + 1500 * STEP) >=
                1500 - 256);
    assert_int_equal(count_all(store, 1, &read).good, 2000);
    assert_int_equal(read.from, METRIC_FROM_MEMORY | METRIC_FROM_CHECKPOINT);
    (void)metric_store_release(store, SPAN(""), BEGIN + 2000 * STEP);
    fill(store, 2000, 2100);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    /* Only now is a file old enough for the store's own worker too, which may be first.
     */
    play_clock(clock_now_ns() + 7200 * NS_PER_S);
    assert_int_equal(metric_store_archive(store, &err), 0);
    struct metric_store_status status = status_of(store);
    assert_int_equal(status.archives, 1);
    assert_true(status.block_files >= 1); /* whose blocks are in memory still */
    for (int host = 0; host < HOSTS; host++) {
        struct count c = count_all(store, host, &read);
        assert_true(c.good == 2100 && c.wrong == 0);
        assert_int_equal(read.from, METRIC_FROM_MEMORY | METRIC_FROM_ARCHIVE);
    }
    /* Too late for what is let go of: it would hide what files have. */
    assert_int_equal(put(store, 1, 10, 1), 0);
    assert_int_equal(heard.failures, 0);
}

static void only_so_much_is_deleted_as_was_asked_for(void **state)
{
    (void)state;
    struct err err = { 0 };
    struct metric_read read = { 0 };
    struct metric_store_options options = { .dir = dir,
                                            .shard_count = 2,
                                            .archive_interval_ns = 1,
                                            .is_archive_deleted = true };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    fill(store, 0, 1000);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    (void)metric_store_release(store, SPAN(""), BEGIN + 500 * STEP);
    assert_int_equal(metric_store_archive(store, &err), 0);
    assert_int_equal(count_all(store, 1, &read).good, 1000);
    (void)metric_store_release(store, SPAN(""), BEGIN + 1000 * STEP);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    assert_int_equal(metric_store_archive(store, &err), 0);
    assert_int_equal(count_all(store, 1, &read).good, 1000 - 3 * CODEC_VALUES_MAX);
    assert_int_equal(status_of(store).archives, 0);
}

static void memory_is_heard_before_it_costs_history(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct metric_store_options options = { .shard_count = 1,
                                            .memory_bytes_max = 100000,
                                            .report = hear,
                                            .report_arg = &heard };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct metric_read read = { 0 };
    int64_t slot = 0;
    /* The worker comes every few seconds; here it is called as often as samples. */
    for (; slot < 50000 && heard.failures == 0; slot += 100) {
        fill(store, slot, slot + 100);
        play_clock(BEGIN + (slot + 100) * STEP);
        assert_int_equal(metric_store_limit_memory(store, NULL), 0);
        if (heard.failures == 0)
            assert_int_equal(count_all(store, 0, &read).good, slot + 100);
    }
    struct metric_store_status status = status_of(store);
    /* The store's own thread may have come first. */
    assert_true(heard.failures >= 1 && heard.warnings >= 1);
    assert_true(status.memory_warnings >= 1 && status.memory_overruns >= 1);
    assert_true(status.memory.used_bytes <= 100000);
    assert_true(count_all(store, 0, &read).good >= (uint64_t)slot / 4 - 256);
}

static bool spare_h3(void *arg, struct span host)
{
    (void)arg;
    return span_is(host, "c/h3");
}

static void hosts_with_jobs_are_spared(void **state)
{
    (void)state;
    struct metric_store_options options = { .shard_count = 2,
                                            .retention_ns = 1000 * STEP,
                                            .is_exempt = spare_h3 };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct metric_read read = { 0 };
    play_clock(BEGIN + 900 * STEP);
    fill(store, 0, 800);
    assert_int_equal(metric_store_retain(store), 0);
    play_clock(BEGIN + 1600 * STEP);
    assert_true(metric_store_retain(store) > 0);
    assert_int_equal(count_all(store, 3, &read).good, 800);
    assert_int_equal(count_all(store, 2, &read).good, 800 - 2 * CODEC_VALUES_MAX);
}

/* Change a byte of the first file of a kind, at a place counted from its middle. */
static void flip(const char *kind)
{
    DIR *d = opendir(dir);
    struct dirent *entry;
    char path[512] = "";
    while (d && (entry = readdir(d))) {
        if (strncmp(entry->d_name, kind, strlen(kind)) == 0)
            (void)snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
    }
    assert_non_null(d);
    (void)closedir(d);
    assert_true(path[0] != '\0');
    int fd = open(path, O_RDWR);
    struct stat st;
    assert_true(fd >= 0 && fstat(fd, &st) == 0);
    char c;
    assert_int_equal(pread(fd, &c, 1, st.st_size / 3), 1);
    c = (char)(c ^ 4);
    assert_int_equal(pwrite(fd, &c, 1, st.st_size / 3), 1);
    (void)close(fd);
}

static uint64_t count_good(struct metric_store *store)
{
    uint64_t good = 0;
    for (int host = 0; host < HOSTS; host++) {
        struct metric_read read = { 0 };
        struct count c = count_all(store, host, &read);
        assert_int_equal(c.wrong, 0);
        good += c.good;
    }
    return good;
}

static void a_flipped_bit_costs_one_block_and_is_named(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct metric_store_options options = {
        .dir = dir, .shard_count = 1, .report = hear, .report_arg = &heard
    };
    struct metric_store *store = open_store(options);
    fill(store, 0, 2000);
    metric_store_close(store);
    flip("blocks-");
    store = open_store(options);
    assert_int_equal(heard.failures, 1);
    assert_non_null(strstr(heard.last, "blocks-"));
    assert_int_equal(status_of(store).damaged_blocks, 1);
    assert_int_equal(count_good(store), HOSTS * 2000 - CODEC_VALUES_MAX);
    /* The file still has it in its directory: readers of old files meet it too. */
    metric_store_close(store);
    store = open_store(options);
    assert_int_equal(status_of(store).damaged_blocks, 0);
    assert_int_equal(count_good(store), HOSTS * 2000 - CODEC_VALUES_MAX);
    metric_store_close(store);
}

static void a_damaged_index_costs_nothing(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct err err = { 0 };
    struct metric_store_options options = {
        .dir = dir, .shard_count = 1, .report = hear, .report_arg = &heard
    };
    struct metric_store *store = open_store(options);
    fill(store, 0, 1000);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    fill(store, 1000, 2000);
    metric_store_close(store);
    flip("index-"); /* of one of the two, as the directory has them */
    flip("manifest-");
    store = open_store(options);
    assert_true(heard.failures <= 1);
    assert_int_equal(count_good(store), HOSTS * 2000);
    metric_store_close(store);
}

static void another_count_of_shards_is_only_another_order(void **state)
{
    (void)state;
    static const size_t counts[] = { 2, 5, 1, 3 };
    uint64_t slots = 0;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        struct metric_store_options options = { .dir = dir, .shard_count = counts[i] };
        AUTO(metric_store_close) struct metric_store *store = open_store(options);
        assert_int_equal(metric_store_shard_count(store), counts[i]);
        assert_int_equal(count_good(store), HOSTS * slots);
        fill(store, (int64_t)slots, (int64_t)slots + 700);
        slots += 700;
        assert_int_equal(count_good(store), HOSTS * slots);
    }
}

static void one_process_has_a_directory(void **state)
{
    (void)state;
    struct metric_store_options options = { .dir = dir };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct metric_store *second = NULL;
    struct err err = { 0 };
    assert_int_equal(metric_store_open(&options, &second, &err), -EBUSY);
    assert_non_null(strstr(err.text, dir));
}

struct shared {
    struct metric_store *store;
    int first_host;
    _Atomic bool is_over;
    _Atomic int wrong;
};

static void *write_on(void *arg)
{
    struct shared *s = arg;
    for (int64_t slot = 0; slot < 6000; slot++) {
        for (int host = s->first_host; host < HOSTS; host += 2) {
            int64_t at = slot % 17 == 5 && slot > 200 ? slot - 150 : slot;
            if (put(s->store, host, at, (double)(at * 7 % 1001)) < 0)
                atomic_fetch_add(&s->wrong, 1);
        }
    }
    return NULL;
}

static void *read_on(void *arg)
{
    struct shared *s = arg;
    while (!atomic_load(&s->is_over)) {
        struct metric_read read = { 0 };
        for (int host = 0; host < HOSTS; host++)
            atomic_fetch_add(&s->wrong, (int)count_all(s->store, host, &read).wrong);
    }
    return NULL;
}

static void all_at_once(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct metric_store_options options = { .dir = dir,
                                            .shard_count = 2,
                                            .sync_interval_ns = 1000000,
                                            .archive_interval_ns = 1,
                                            .report = hear,
                                            .report_arg = &heard };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct shared s[2] = { { .store = store }, { .store = store, .first_host = 1 } };
    pthread_t writers[2], reader;
    for (int host = 0; host < HOSTS; host++)
        (void)series_of(store, host);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, write_on, &s[i]), 0);
    assert_int_equal(pthread_create(&reader, NULL, read_on, &s[0]), 0);
    for (int i = 0; i < 12; i++) {
        struct err err = { 0 };
        if (metric_store_checkpoint(store, &err) < 0 ||
            metric_store_archive(store, &err) < 0)
            fail_msg("%s", err.text);
        (void)metric_store_release(store, SPAN(""), BEGIN + i * 400 * STEP);
    }
    assert_int_equal(pthread_join(writers[0], NULL), 0);
    assert_int_equal(pthread_join(writers[1], NULL), 0);
    atomic_store(&s[0].is_over, true);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_int_equal(atomic_load(&s[0].wrong) + atomic_load(&s[1].wrong), 0);
    assert_int_equal(heard.failures, 0);
}

#define in_a_directory(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    begin_clock();
    const struct CMUnitTest tests[] = {
        in_a_directory(history_outlives_memory),
        in_a_directory(only_so_much_is_deleted_as_was_asked_for),
        cmocka_unit_test(memory_is_heard_before_it_costs_history),
        cmocka_unit_test(hosts_with_jobs_are_spared),
        in_a_directory(a_flipped_bit_costs_one_block_and_is_named),
        in_a_directory(a_damaged_index_costs_nothing),
        in_a_directory(another_count_of_shards_is_only_another_order),
        in_a_directory(one_process_has_a_directory),
        in_a_directory(all_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
