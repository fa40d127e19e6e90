/* SPDX-License-Identifier: Apache-2.0 */
/* test_access_size - what is below 1 MiB for certain, and what is not. */
#include "analysis/log/access_size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define MIB 1048576

struct counters {
    int64_t values[DARSHAN_COUNTERS_MAX];
};

static void put(struct counters *c, const char *name, int64_t value)
{
    int at = darshan_counter_find(darshan_module(DARSHAN_POSIX), name);
    assert_true(at >= 0);
    c->values[at] = value;
}

static double small_of(const struct counters *c)
{
    const struct darshan_record record = { .module = darshan_module(DARSHAN_POSIX),
                                           .counters = c->values };
    return access_size_small(&record, true);
}

static void one_mib_is_not_small(void **state)
{
    (void)state;
    struct counters c = { { 0 } };
    put(&c, "POSIX_SIZE_READ_100K_1M", 100);
    put(&c, "POSIX_BYTES_READ", INT64_C(100) * MIB);
    put(&c, "POSIX_ACCESS1_ACCESS", MIB);
    put(&c, "POSIX_ACCESS1_COUNT", 100);
    assert_true(small_of(&c) == 0);
    put(&c, "POSIX_ACCESS1_ACCESS", MIB - 1);
    assert_true(small_of(&c) == 100);
}

static void common_sizes_decide_one_by_one(void **state)
{
    (void)state;
    struct counters c = { { 0 } };
    put(&c, "POSIX_SIZE_WRITE_100_1K", 7);
    put(&c, "POSIX_SIZE_WRITE_100K_1M", 30);
    put(&c, "POSIX_SIZE_WRITE_1M_4M", 5);
    put(&c, "POSIX_BYTES_WRITTEN",
        INT64_C(20) * MIB + 10 * 500000 + 5 * 2 * MIB + 7000);
    put(&c, "POSIX_ACCESS1_ACCESS", MIB);
    put(&c, "POSIX_ACCESS1_COUNT", 20);
    put(&c, "POSIX_ACCESS2_ACCESS", 500000);
    put(&c, "POSIX_ACCESS2_COUNT", 10);
    put(&c, "POSIX_ACCESS3_ACCESS", 1000);
    put(&c, "POSIX_ACCESS3_COUNT", 7);
    assert_true(small_of(&c) == 17);
}

static void what_no_common_size_names_is_bounded_by_its_bytes(void **state)
{
    (void)state;
    struct counters c = { { 0 } };
    put(&c, "POSIX_SIZE_WRITE_100K_1M", 100);
    put(&c, "POSIX_BYTES_WRITTEN", INT64_C(100) * MIB);
    assert_true(small_of(&c) == 0);
    /* At most half of them can have had 1 MiB: the others have 102401 at least. */
    put(&c, "POSIX_BYTES_WRITTEN", INT64_C(50) * MIB + INT64_C(50) * 102401);
    assert_true(small_of(&c) == 50);
    put(&c, "POSIX_BYTES_WRITTEN", INT64_C(100) * 102401);
    assert_true(small_of(&c) == 100);
}

static void sizes_that_cannot_be_relied_upon_are_not_used(void **state)
{
    (void)state;
    struct counters c = { { 0 } };
    put(&c, "POSIX_SIZE_READ_100K_1M", 10);
    put(&c, "POSIX_BYTES_READ", INT64_C(10) * MIB);
    put(&c, "POSIX_ACCESS1_ACCESS", 200000);
    put(&c, "POSIX_ACCESS1_COUNT", 10);
    const struct darshan_record record = { .module = darshan_module(DARSHAN_POSIX),
                                           .counters = c.values };
    assert_true(access_size_small(&record, true) == 10);
    assert_true(access_size_small(&record, false) == 0);
}

static void counts_that_cannot_be_do_no_harm(void **state)
{
    (void)state;
    struct counters c = { { 0 } };
    put(&c, "POSIX_SIZE_READ_100K_1M", 10);
    put(&c, "POSIX_BYTES_READ", -1);
    put(&c, "POSIX_ACCESS1_ACCESS", 200000);
    put(&c, "POSIX_ACCESS1_COUNT", INT64_MAX);
    assert_true(small_of(&c) == 10);
    put(&c, "POSIX_SIZE_READ_100K_1M", -1);
    assert_true(small_of(&c) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_mib_is_not_small),
        cmocka_unit_test(common_sizes_decide_one_by_one),
        cmocka_unit_test(what_no_common_size_names_is_bounded_by_its_bytes),
        cmocka_unit_test(sizes_that_cannot_be_relied_upon_are_not_used),
        cmocka_unit_test(counts_that_cannot_be_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
