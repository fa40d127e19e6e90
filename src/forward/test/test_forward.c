/* SPDX-License-Identifier: Apache-2.0 */
/* test_forward - what is queued comes onto the disk, names before their samples. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "forward/forward.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Which files were synced, in their order: n a list of names, q a queue. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char synced[64];
static _Atomic bool is_disk_broken;
static _Atomic unsigned notices[FORWARD_NOTICE_COUNT];

/* Instead of the C library's, which no test can look into. */
int fdatasync(int fd)
{
    char link[64], path[PATH_MAX];
    if (atomic_load(&is_disk_broken)) {
        errno = EIO;
        return -1;
    }
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    assert_true(size > 0);
    path[size] = '\0';
    LOCKED(&lock);
    size_t at = strlen(synced);
    assert_true(at + 1 < sizeof synced);
    synced[at] = strstr(path, "/series-") ? 'n' : 'q';
    return 0;
}

static void expect_synced(const char *files)
{
    LOCKED(&lock);
    assert_string_equal(synced, files);
    memset(synced, 0, sizeof synced);
}

static size_t synced_count(void)
{
    LOCKED(&lock);
    return strlen(synced);
}

static void describe(void *arg, const struct level_series *series,
                     struct series_name *ret)
{
    (void)arg;
    (void)series;
    *ret = (struct series_name){ SPAN("c/n"), SPAN("m") };
}

static void show_times(void *arg, const struct sample *samples, size_t count,
                       int64_t *ret_ns)
{
    (void)arg;
    for (size_t i = 0; i < count; i++)
        ret_ns[i] = samples[i].t_ns;
}

static int64_t oldest_ns(void *arg)
{
    (void)arg;
    return 0;
}

static void count_notice(void *arg, enum forward_notice notice, const char *text)
{
    (void)arg;
    (void)text;
    (void)atomic_fetch_add(&notices[notice], 1);
}

/* A target that nobody listens at. */
static struct forward *open_forward(const char *dir, int64_t sync_interval_ns)
{
    const struct forward_source source = { .describe = describe,
                                           .show_times = show_times,
                                           .oldest_ns = oldest_ns,
                                           .report = count_notice,
                                           .sync_interval_ns = sync_interval_ns };
    const struct forward_opts opts = { .url = "http://127.0.0.1:1/write",
                                       .token_file = "",
                                       .user = "",
                                       .password_file = "",
                                       .ca_file = "",
                                       .directory = dir,
                                       .queue_bytes_max = 1 << 20,
                                       .batch_samples = 10,
                                       .timeout_ns = NS_PER_S };
    struct forward *forward = NULL;
    assert_int_equal(forward_new(&source, &forward, NULL), 0);
    assert_int_equal(forward_add(forward, "t", &opts, NULL), 0);
    return forward;
}

static int make_dir(void **state)
{
    char *dir = strdup("/tmp/forward-XXXXXX");
    *state = dir;
    memset(synced, 0, sizeof synced);
    return dir && mkdtemp(dir) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int remove_dir(void **state)
{
    int rc = nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return rc;
}

static void put_one(struct forward *forward, size_t series)
{
    static char known[2];
    const struct sample sample = { .series = (void *)&known[series],
                                   .t_ns = NS_PER_S,
                                   .value = 1 };
    forward_put(forward, &sample, 1);
}

static void a_sync_writes_names_and_then_samples(void **state)
{
    AUTO(forward_free) struct forward *forward = open_forward(*state, 3600 * NS_PER_S);
    assert_int_equal(forward_sync(forward), 0);
    expect_synced("");
    put_one(forward, 0);
    expect_synced(""); /* no write waits for the disk */
    assert_int_equal(forward_sync(forward), 0);
    expect_synced("nq");
    put_one(forward, 0);
    assert_int_equal(forward_sync(forward), 0);
    expect_synced("q"); /* its name was there */
    put_one(forward, 1);
    atomic_store(&is_disk_broken, true);
    assert_int_equal(forward_sync(forward), -EIO);
    assert_int_equal(atomic_load(&notices[FORWARD_UNSYNCED]), 1);
    atomic_store(&is_disk_broken, false);
    assert_int_equal(forward_sync(forward), 0);
    expect_synced("nq");
    assert_int_equal(forward_sync(forward), 0);
    expect_synced("");
}

static void it_is_done_without_being_asked(void **state)
{
    AUTO(forward_free) struct forward *forward = open_forward(*state, NS_PER_MS);
    assert_int_equal(forward_start(forward, NULL), 0);
    put_one(forward, 0);
    for (int i = 0; i < 10000 && synced_count() < 2; i++)
        (void)usleep(1000);
    expect_synced("nq");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_sync_writes_names_and_then_samples, make_dir,
                                        remove_dir),
        cmocka_unit_test_setup_teardown(it_is_done_without_being_asked, make_dir,
                                        remove_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
