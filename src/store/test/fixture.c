/* SPDX-License-Identifier: Apache-2.0 */
/* fixture - a store in a directory of a test's own, filled with values that say their
 * slot; a clock that is played.
 */
#include "store/test/fixture.h"

#include "base/clock.h"
#include "base/span.h"

#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>

char dir[DIRECTORY_PATH_MAX];

void hear(void *arg, enum metric_store_notice notice, const char *text)
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

void play_clock(int64_t t_ns)
{
    atomic_store(&page->t_ns, t_ns);
}

void begin_clock(void)
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

int make_dir(void **state)
{
    (void)state;
    play_clock(BEGIN + 100000 * STEP);
    directory_make(dir);
    return 0;
}

int remove_dir(void **state)
{
    (void)state;
    directory_remove(dir);
    return 0;
}

struct metric_store *open_store(struct metric_store_options options)
{
    struct metric_store *store = NULL;
    struct err err = { 0 };
    if (metric_store_open(&options, &store, &err) < 0)
        fail_msg("%s", err.text);
    return store;
}

struct level_series *series_of(struct metric_store *store, int host)
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

int put(struct metric_store *store, int host, int64_t slot, double value)
{
    struct sample point = { series_of(store, host), BEGIN + slot * STEP, value };
    struct metric_batch batch = { point.series->level->shard, &point, 1,
                                  METRIC_STORED };
    struct sample_counts taken = { 0 };
    int rc = metric_store_put(store, &batch, &taken);
    return rc < 0 ? rc : (int)taken.accepted;
}

void fill(struct metric_store *store, int64_t from, int64_t to)
{
    for (int64_t slot = from; slot < to; slot++) {
        for (int host = 0; host < HOSTS; host++)
            assert_int_equal(put(store, host, slot, (double)(slot * 7 % 1001)), 1);
    }
}

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

struct count count_all(struct metric_store *store, int host, struct metric_read *read)
{
    struct count c = { 0 };
    struct metric_range range = { 0, INT64_MAX / 2, count_samples, &c };
    const struct level_series *series = series_of(store, host);
    unsigned reader = metric_store_enter(store);
    assert_int_equal(metric_store_read(store, series, &range, read), 0);
    metric_store_leave(store, reader);
    return c;
}

struct metric_store_status status_of(struct metric_store *store)
{
    struct metric_store_status status;
    metric_store_status(store, &status);
    return status;
}

uint64_t count_good(struct metric_store *store)
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

void flip(const char *kind)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    DIR *d = opendir(dir);
    const struct dirent *entry;
    char name[256] = "";
    while (d && (entry = readdir(d))) {
        if (strncmp(entry->d_name, kind, strlen(kind)) == 0 &&
            strcmp(entry->d_name, name) > 0)
            (void)snprintf(name, sizeof name, "%s", entry->d_name);
    }
    assert_non_null(d);
    (void)closedir(d);
    assert_true(name[0] != '\0');
    directory_read(dir, name, &bytes);
    bytes.data[bytes.size / 3] ^= 4;
    directory_write(dir, name, bytes.data, bytes.size);
}
