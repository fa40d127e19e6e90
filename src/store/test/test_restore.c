/* SPDX-License-Identifier: Apache-2.0 */
/* test_restore - a store out of its directory, whole, cut and damaged. */
#include "store/test/fixture.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

/* What the death of the process would leave, in dir. */
static void die(struct metric_store *store)
{
    char copy[DIRECTORY_PATH_MAX];
    (void)snprintf(copy, sizeof copy, "%.500s.dead", dir);
    directory_copy(dir, copy);
    metric_store_close(store);
    directory_remove(dir);
    assert_int_equal(rename(copy, dir), 0);
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
    flip("index-");
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

static void logs_alone_are_replayed(void **state)
{
    (void)state;
    struct metric_store_options options = { .dir = dir, .shard_count = 2 };
    struct metric_store *store = open_store(options);
    fill(store, 0, 300);
    die(store);
    store = open_store(options);
    assert_int_equal(count_good(store), HOSTS * 300);
    assert_int_equal(status_of(store).lost_samples, 0);
    metric_store_close(store);
}

/* The newest segment of shard 0. */
static void find_log(char name[static 64])
{
    DIR *d = opendir(dir);
    const struct dirent *entry;
    name[0] = '\0';
    while (d && (entry = readdir(d)))
        if (strncmp(entry->d_name, "log-0-", 6) == 0 && !strchr(entry->d_name, '.') &&
            strcmp(entry->d_name, name) > 0)
            (void)snprintf(name, 64, "%.63s", entry->d_name);
    assert_non_null(d);
    (void)closedir(d);
    assert_true(name[0] != '\0');
}

/* Writing fails beyond a size: the log goes on in a segment that can be read without
 * the one that failed. */
static void the_log_after_a_failed_one_has_the_names_too(void **state)
{
    (void)state;
    struct metric_store_options options = { .dir = dir,
                                            .shard_count = 1,
                                            .sync_interval_ns = 3600 * NS_PER_S };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct rlimit was, limit;
    char first[64], second[64], path[DIRECTORY_PATH_MAX + 64];
    struct metric_store *store = open_store(options);
    fill(store, 0, 200);
    find_log(first);
    directory_read(dir, first, &bytes);
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    limit = (struct rlimit){ bytes.size, was.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int rc = put(store, 0, 200, 1400 % 1001);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    assert_int_equal(rc, -EFBIG);
    fill(store, 201, 300);
    assert_int_equal(count_good(store), HOSTS * 299);
    find_log(second);
    assert_string_not_equal(first, second);
    die(store);
    (void)snprintf(path, sizeof path, "%s/%s", dir, first);
    assert_int_equal(unlink(path), 0);
    store = open_store(options);
    assert_int_equal(status_of(store).lost_samples, 0);
    assert_int_equal(count_good(store), HOSTS * 99);
    metric_store_close(store);
}

static void a_torn_tail_is_cut_and_put_aside(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct metric_store_options options = {
        .dir = dir, .shard_count = 1, .report = hear, .report_arg = &heard
    };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf torn = STRBUF_INIT;
    char name[64], aside[128];
    struct metric_store *store = open_store(options);
    fill(store, 0, 300);
    die(store);
    find_log(name);
    directory_read(dir, name, &bytes);
    size_t whole = bytes.size;
    /* The head of a record of 64 bytes, and half of it. */
    static const char half[48] = { 64, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    strbuf_add(&bytes, half, sizeof half);
    directory_write(dir, name, bytes.data, bytes.size);
    store = open_store(options);
    assert_int_equal(count_good(store), HOSTS * 300);
    assert_int_equal(heard.warnings, 1);
    assert_int_equal(heard.failures, 0);
    (void)snprintf(aside, sizeof aside, "%s.%zu.torn", name, whole);
    directory_read(dir, aside, &torn);
    assert_int_equal(torn.size, sizeof half);
    assert_memory_equal(torn.data, half, sizeof half);
    metric_store_close(store);
}

static void damage_within_a_log_is_reported_and_put_aside(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct metric_store_options options = {
        .dir = dir, .shard_count = 1, .report = hear, .report_arg = &heard
    };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf aside = STRBUF_INIT;
    char name[64], damaged[128];
    struct metric_store *store = open_store(options);
    fill(store, 0, 300);
    die(store);
    find_log(name);
    directory_read(dir, name, &bytes);
    bytes.data[bytes.size / 2] ^= 4;
    directory_write(dir, name, bytes.data, bytes.size);
    store = open_store(options);
    uint64_t good = count_good(store);
    assert_true(good > 0 && good < HOSTS * 300);
    assert_int_equal(heard.failures, 1);
    assert_non_null(strstr(heard.last, name));
    (void)snprintf(damaged, sizeof damaged, "%s.damaged", name);
    directory_read(dir, damaged, &aside);
    assert_int_equal(aside.size, bytes.size);
    metric_store_close(store);
    /* Nothing more is lost the next time. */
    store = open_store(options);
    assert_int_equal(count_good(store), good);
    metric_store_close(store);
}

static void read_only_changes_nothing(void **state)
{
    (void)state;
    struct metric_store_options options = { .dir = dir, .shard_count = 2 };
    struct metric_store *store = open_store(options);
    char before[64], after[64];
    fill(store, 0, 300);
    die(store);
    find_log(before);
    options.is_read_only = true;
    store = open_store(options);
    assert_int_equal(count_good(store), HOSTS * 300);
    assert_int_equal(put(store, 1, 400, 1), -EROFS);
    metric_store_close(store);
    find_log(after);
    assert_string_equal(before, after);
}

static void a_directory_of_something_else_is_refused_read_only(void **state)
{
    (void)state;
    const struct metric_store_options options = { .dir = dir, .is_read_only = true };
    struct metric_store *store = NULL;
    struct err err = { 0 };
    directory_write(dir, "letter.txt", "hello", 5);
    assert_int_equal(metric_store_open(&options, &store, &err), -ENOENT);
    assert_null(store);
    assert_non_null(strstr(err.text, dir));
}

static void manifests_of_which_none_is_whole_are_for_a_person(void **state)
{
    (void)state;
    const struct metric_store_options options = { .dir = dir, .shard_count = 1 };
    struct metric_store *store = open_store(options);
    struct err err = { 0 };
    fill(store, 0, 300);
    metric_store_close(store);
    DIR *d = opendir(dir);
    const struct dirent *entry;
    while (d && (entry = readdir(d)))
        if (strncmp(entry->d_name, "manifest-", 9) == 0)
            directory_write(dir, entry->d_name, "nothing", 7);
    assert_non_null(d);
    (void)closedir(d);
    store = NULL;
    assert_int_equal(metric_store_open(&options, &store, &err), -EBADMSG);
    assert_null(store);
    assert_non_null(strstr(err.text, "manifest-"));
}

int main(void)
{
    begin_clock();
    const struct CMUnitTest tests[] = {
        in_a_directory(a_flipped_bit_costs_one_block_and_is_named),
        in_a_directory(a_damaged_index_costs_nothing),
        in_a_directory(another_count_of_shards_is_only_another_order),
        in_a_directory(one_process_has_a_directory),
        in_a_directory(logs_alone_are_replayed),
        in_a_directory(the_log_after_a_failed_one_has_the_names_too),
        in_a_directory(a_torn_tail_is_cut_and_put_aside),
        in_a_directory(damage_within_a_log_is_reported_and_put_aside),
        in_a_directory(read_only_changes_nothing),
        in_a_directory(a_directory_of_something_else_is_refused_read_only),
        in_a_directory(manifests_of_which_none_is_whole_are_for_a_person),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
