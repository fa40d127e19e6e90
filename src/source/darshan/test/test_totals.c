/* SPDX-License-Identifier: Apache-2.0 */
/* test_totals - records of one module added up. */
#include "base/test/testing.h"
#include "source/darshan/darshan.h"

#include <math.h>

/* A record of POSIX whose counters are found by name. */
struct posix {
    int64_t counters[DARSHAN_COUNTERS_MAX];
    double f_counters[DARSHAN_F_COUNTERS_MAX];
    struct darshan_record record;
};

static int at(const char *name)
{
    const struct darshan_module *posix = darshan_module(DARSHAN_POSIX);
    int place = darshan_counter_find(posix, name);
    if (place < 0)
        place = darshan_f_counter_find(posix, name);
    if (place < 0)
        fail_msg("no counter %s", name);
    return place;
}

static void start(struct posix *p, uint64_t id, int64_t rank)
{
    *p = (struct posix){
        .record = { .module = darshan_module(DARSHAN_POSIX), .id = id, .rank = rank }
    };
    p->record.counters = p->counters;
    p->record.f_counters = p->f_counters;
}

static void put(struct posix *p, const char *name, int64_t value)
{
    p->counters[at(name)] = value;
}

static void put_f(struct posix *p, const char *name, double value)
{
    p->f_counters[at(name)] = value;
}

static void add_transfer(struct darshan_totals *t, uint64_t id, int64_t rank,
                         int64_t read, int64_t written, double seconds)
{
    struct posix p;
    start(&p, id, rank);
    put(&p, "POSIX_BYTES_READ", read);
    put(&p, "POSIX_BYTES_WRITTEN", written);
    put(&p, "POSIX_MAX_BYTE_READ", read - 1);
    put(&p, "POSIX_MAX_BYTE_WRITTEN", written - 1);
    put_f(&p, "POSIX_F_READ_TIME", seconds / 2);
    put_f(&p, "POSIX_F_META_TIME", seconds / 4);
    put_f(&p, "POSIX_F_WRITE_TIME", seconds / 4);
    put_f(&p, "POSIX_F_SLOWEST_RANK_TIME", seconds / 8);
    assert_int_equal(darshan_totals_add(t, &p.record), 0);
}

static void speed_is_bytes_by_the_slowest_rank_and_shared_files(void **state)
{
    (void)state;
    AUTO(darshan_totals_free) struct darshan_totals *t = NULL;
    struct darshan_summary s;
    assert_int_equal(darshan_totals_new(darshan_module(DARSHAN_POSIX), 0, &t), 0);
    add_transfer(t, 1, 0, 1 << 20, 0, 1);
    add_transfer(t, 2, 1, 0, 1 << 20, 2); /* rank 1 needs 3 s in all: the slowest */
    add_transfer(t, 3, 1, 1 << 20, 1 << 20, 1);
    add_transfer(t, 4, -1, 8 << 20, 0, 8); /* shared: its slowest rank needed 1 s */
    darshan_totals_summary(t, &s);
    assert_int_equal(s.slowest_rank, 1);
    assert_true(s.slowest_rank_io_s == 3 && s.slowest_rank_meta_s == 0.75);
    assert_true(s.slowest_rank_rw_s == 2.25 && s.shared_io_s == 1 && s.io_s == 4);
    assert_true(s.bytes == 12 << 20 && s.mib_per_s == 3);
}

static void files_are_counted_by_how_they_were_used(void **state)
{
    (void)state;
    AUTO(darshan_totals_free) struct darshan_totals *t = NULL;
    struct darshan_summary s;
    static const uint64_t want[DARSHAN_CATEGORIES] = { 5, 2, 1, 1, 3, 1, 1 };
    assert_int_equal(darshan_totals_new(darshan_module(DARSHAN_POSIX), 0, &t), 0);
    add_transfer(t, 1, 0, 10, 0, 1);
    add_transfer(t, 2, 0, 0, 20, 1);
    add_transfer(t, 3, 0, 3, 30, 1);
    add_transfer(t, 4, 0, 40, 0, 1); /* two ranks, a record each */
    add_transfer(t, 4, 1, 50, 0, 1);
    add_transfer(t, 5, -1, 0, 0, 1);
    darshan_totals_summary(t, &s);
    for (enum darshan_category i = 0; i < DARSHAN_CATEGORIES; i++)
        if (s.files[i].count != want[i])
            fail_msg("%s: %llu files", darshan_category_name(i),
                     (unsigned long long)s.files[i].count);
    assert_true(s.files[DARSHAN_ALL_FILES].bytes == 153);
    assert_true(s.files[DARSHAN_READ_ONLY].max_byte == 49);
    assert_true(s.files[DARSHAN_PART_SHARED].bytes == 90);
}

static void files_beyond_the_limit_are_not_told_apart(void **state)
{
    (void)state;
    AUTO(darshan_totals_free) struct darshan_totals *t = NULL;
    struct darshan_summary s;
    assert_int_equal(darshan_totals_new(darshan_module(DARSHAN_POSIX), 2, &t), 0);
    for (uint64_t id = 0; id < 5; id++)
        add_transfer(t, id, 0, 10, 0, 1);
    darshan_totals_summary(t, &s);
    assert_true(s.files[DARSHAN_ALL_FILES].count == 2 && s.files_left_out == 3);
    assert_true(s.bytes == 50);
}

static void each_counter_is_added_by_its_own_rule(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t first, second, want;
    } cases[] = {
        { "POSIX_OPENS", 3, 4, 7 },
        { "POSIX_MMAPS", -1, -1, -1 },
        { "POSIX_OPENS", INT64_MAX, 1, -1 },
        { "POSIX_MODE", 1, 2, 2 },
        { "POSIX_RENAMED_FROM", 9, 0, 0 },
        { "POSIX_FILE_ALIGNMENT", 4096, 512, 512 },
        { "POSIX_MAX_BYTE_READ", 5, 4, 5 },
        { "POSIX_SIZE_READ_0_100", 1, 1, 2 },
        { "POSIX_MEM_NOT_ALIGNED", 1, 1, 2 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(darshan_totals_free) struct darshan_totals *t = NULL;
        struct darshan_summary s;
        struct posix p;
        assert_int_equal(darshan_totals_new(darshan_module(DARSHAN_POSIX), 0, &t), 0);
        for (int k = 0; k < 2; k++) {
            start(&p, 1, k);
            put(&p, cases[i].name, k == 0 ? cases[i].first : cases[i].second);
            assert_int_equal(darshan_totals_add(t, &p.record), 0);
        }
        darshan_totals_summary(t, &s);
        if (s.counters[at(cases[i].name)] != cases[i].want)
            fail_msg("%s: %lld", cases[i].name,
                     (long long)s.counters[at(cases[i].name)]);
    }
}

static void times_are_first_last_and_longest(void **state)
{
    (void)state;
    AUTO(darshan_totals_free) struct darshan_totals *t = NULL;
    struct darshan_summary s;
    static const double opened[] = { 0, 3, 2, -1, NAN };
    assert_int_equal(darshan_totals_new(darshan_module(DARSHAN_POSIX), 0, &t), 0);
    for (int i = 0; i < 5; i++) {
        struct posix p;
        start(&p, 1, i);
        put_f(&p, "POSIX_F_OPEN_START_TIMESTAMP", opened[i]);
        put_f(&p, "POSIX_F_OPEN_END_TIMESTAMP", opened[i]);
        put_f(&p, "POSIX_F_MAX_READ_TIME", opened[i]);
        put(&p, "POSIX_MAX_READ_TIME_SIZE", 100 + i);
        assert_int_equal(darshan_totals_add(t, &p.record), 0);
    }
    darshan_totals_summary(t, &s);
    assert_true(s.f_counters[at("POSIX_F_OPEN_START_TIMESTAMP")] == 2);
    assert_true(s.f_counters[at("POSIX_F_OPEN_END_TIMESTAMP")] == 3);
    assert_true(s.f_counters[at("POSIX_F_MAX_READ_TIME")] == 3);
    assert_true(s.counters[at("POSIX_MAX_READ_TIME_SIZE")] == 101);
}

static void the_fastest_rank_is_told_for_one_file_only(void **state)
{
    (void)state;
    for (uint64_t files = 1; files <= 2; files++) {
        AUTO(darshan_totals_free) struct darshan_totals *t = NULL;
        struct darshan_summary s;
        assert_int_equal(darshan_totals_new(darshan_module(DARSHAN_POSIX), 0, &t), 0);
        for (uint64_t i = 0; i < 4; i++)
            add_transfer(t, i % files, (int64_t)i, 10, 0, i == 2 ? 0.5 : 1 + (double)i);
        darshan_totals_summary(t, &s);
        int64_t fastest = s.counters[at("POSIX_FASTEST_RANK")];
        int64_t slowest = s.counters[at("POSIX_SLOWEST_RANK")];
        double variance = s.f_counters[at("POSIX_F_VARIANCE_RANK_TIME")];
        if (files == 1)
            assert_true(fastest == 2 && slowest == 3 && variance > 1.7);
        else
            assert_true(fastest == -1 && slowest == -1 && variance == 0);
    }
}

static void add_sizes(struct darshan_totals *t, int64_t rank, const int64_t *values)
{
    struct posix p;
    start(&p, 1, rank);
    memcpy(p.counters + at("POSIX_ACCESS1_ACCESS"), values, 8 * sizeof *values);
    assert_int_equal(darshan_totals_add(t, &p.record), 0);
}

static void the_commonest_sizes_are_those_of_all_records(void **state)
{
    (void)state;
    static const int64_t values[2][8] = { { 10, 20, 30, 40, 9, 7, 5, 3 },
                                          { 20, 50, 0, 0, 1, 6, 0, 0 } };
    AUTO(darshan_totals_free) struct darshan_totals *t = NULL;
    struct darshan_summary s;
    assert_int_equal(darshan_totals_new(darshan_module(DARSHAN_POSIX), 0, &t), 0);
    for (int i = 0; i < 2; i++) {
        struct posix p;
        start(&p, 1, i);
        memcpy(p.counters + at("POSIX_ACCESS1_ACCESS"), values[i], sizeof values[i]);
        memcpy(p.counters + at("POSIX_STRIDE1_STRIDE"), values[0], sizeof values[0]);
        assert_int_equal(darshan_totals_add(t, &p.record), 0);
    }
    darshan_totals_summary(t, &s);
    static const int64_t access[8] = { 10, 20, 50, 30, 9, 8, 6, 5 };
    static const int64_t stride[8] = { 10, 20, 30, 40, 18, 14, 10, 6 };
    assert_memory_equal(s.counters + at("POSIX_ACCESS1_ACCESS"), access, sizeof access);
    assert_memory_equal(s.counters + at("POSIX_STRIDE1_STRIDE"), stride, sizeof stride);
    assert_int_equal(s.values_left_out, 0);
}

/* Files that each have a size of their own, as often as one that all of them have. */
static void a_size_that_is_few_times_in_each_file_is_not_lost(void **state)
{
    (void)state;
    AUTO(darshan_totals_free) struct darshan_totals *t = NULL;
    struct darshan_summary s;
    assert_int_equal(darshan_totals_new(darshan_module(DARSHAN_POSIX), 0, &t), 0);
    for (int64_t i = 0; i < 7; i++) {
        const int64_t values[8] = { 4194304, 1000 + i, 124, 42, 100, 5, 5, 5 };
        add_sizes(t, i, values);
    }
    darshan_totals_summary(t, &s);
    static const int64_t access[8] = { 4194304, 124, 42, 1006, 700, 35, 35, 5 };
    assert_memory_equal(s.counters + at("POSIX_ACCESS1_ACCESS"), access, sizeof access);
}

static void sizes_beyond_the_limit_are_told(void **state)
{
    (void)state;
    static const int64_t values[8] = { 10, 20, 30, 40, 9, 7, 5, 3 };
    AUTO(darshan_totals_free) struct darshan_totals *t = NULL;
    struct darshan_summary s;
    assert_int_equal(darshan_totals_new(darshan_module(DARSHAN_POSIX), 2, &t), 0);
    add_sizes(t, 0, values);
    darshan_totals_summary(t, &s);
    static const int64_t access[8] = { 10, 20, 0, 0, 9, 7, 0, 0 };
    assert_memory_equal(s.counters + at("POSIX_ACCESS1_ACCESS"), access, sizeof access);
    assert_int_equal(s.values_left_out, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_is_bytes_by_the_slowest_rank_and_shared_files),
        cmocka_unit_test(files_are_counted_by_how_they_were_used),
        cmocka_unit_test(files_beyond_the_limit_are_not_told_apart),
        cmocka_unit_test(each_counter_is_added_by_its_own_rule),
        cmocka_unit_test(times_are_first_last_and_longest),
        cmocka_unit_test(the_fastest_rank_is_told_for_one_file_only),
        cmocka_unit_test(the_commonest_sizes_are_those_of_all_records),
        cmocka_unit_test(a_size_that_is_few_times_in_each_file_is_not_lost),
        cmocka_unit_test(sizes_beyond_the_limit_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
