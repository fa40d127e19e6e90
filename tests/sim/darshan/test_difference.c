/* SPDX-License-Identifier: Apache-2.0 */
/* test_difference - planted differences come first, and alike runs do not differ.
 *
 * PLANTED_PAIRS=N pairs of each kind instead of 8; what was found is printed.
 */
#include "analysis/climate/climate.h"
#include "analysis/pair/pair.h"
#include "analysis/table/table.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "planted.h"

#include <math.h>

#define ALIKE 20

static double floors[PROFILE_MEASURE_COUNT];
static uint64_t pairs = 8;

static void load(enum planted kind, uint64_t seed, struct profile *ret)
{
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    struct err err = { 0 };
    planted_make(kind, seed, &log);
    if (job_log_profile_memory(log.data, log.size, ret, &err) < 0)
        fail_msg("%s", err.text);
}

static int measure(void **state)
{
    (void)state;
    static struct profile alike[ALIKE];
    const char *wanted = getenv("PLANTED_PAIRS");
    if (wanted && number_parse_u64(span_of(wanted), &pairs) < 0)
        return -1;
    for (uint64_t i = 0; i < ALIKE; i++)
        load(PLANTED_NOTHING, 1000000 + i, &alike[i]);
    return difference_floors_measure(alike, ALIKE, floors);
}

static void a_profile_tells_what_the_log_holds(void **state)
{
    (void)state;
    struct profile p;
    load(PLANTED_NOTHING, 1, &p);
    assert_string_equal(p.program, "probe");
    assert_string_equal(p.exe, "/opt/bin/probe -s 1");
    assert_true(p.values[PROFILE_PROCESSES] == 64);
    assert_true(p.values[PROFILE_FILES] == 64);
    assert_true(p.values[PROFILE_BYTES] == 64.0 * 256 * 1048576);
    assert_true(p.values[PROFILE_ACCESS] == 1048576);
    assert_true(p.values[PROFILE_READ_SHARE] == 0);
    assert_true(p.values[PROFILE_SMALL_SHARE] == 0);
    assert_true(p.values[PROFILE_STRIPES] == 1);
    assert_true(p.values[PROFILE_META_CALLS] == 2);
    assert_true(fabs(p.values[PROFILE_UNALIGNED_SHARE] - 5.0 / 256) < 1e-9);
    assert_true(isnan(p.values[PROFILE_COLLECTIVE_SHARE]));
    assert_int_equal(p.accesses, 64 * 256);
}

/* How many of the pairs say the planted thing first; what they say instead is told. */
static uint64_t count_first(enum planted kind)
{
    uint64_t right = 0;
    for (uint64_t i = 0; i < pairs; i++) {
        struct profile a, b;
        struct differences found;
        load(PLANTED_NOTHING, 2 * i + 10000 * kind, &a);
        load(kind, 2 * i + 10000 * kind + 1, &b);
        difference_find(&a, &b, floors, &found);
        const char *first = found.count > 0 ? found.items[0].family : "";
        if (strcmp(first, planted_family(kind)) == 0)
            right++;
        else
            print_message("# '%s' is told as '%s'\n", planted_family(kind), first);
    }
    return right;
}

static void planted_differences_come_first(void **state)
{
    (void)state;
    for (int kind = PLANTED_NOTHING + 1; kind < PLANTED_COUNT; kind++) {
        uint64_t right = count_first((enum planted)kind);
        print_message("# %s: first in %llu of %llu\n",
                      planted_family((enum planted)kind), (unsigned long long)right,
                      (unsigned long long)pairs);
        if (right * 10 < pairs * 9 - 9)
            fail_msg("'%s' is not first", planted_family((enum planted)kind));
    }
}

static void alike_runs_do_not_differ(void **state)
{
    (void)state;
    uint64_t quiet = count_first(PLANTED_NOTHING);
    print_message("# alike: nothing told in %llu of %llu\n", (unsigned long long)quiet,
                  (unsigned long long)pairs);
    if (quiet * 10 < pairs * 9 - 9)
        fail_msg("alike runs are told as different");
}

static void a_missing_value_is_no_difference(void **state)
{
    (void)state;
    struct profile a, b;
    struct differences found;
    load(PLANTED_NOTHING, 1, &a);
    b = a;
    b.values[PROFILE_SPEED] = NAN;
    difference_find(&a, &b, floors, &found);
    assert_int_equal(found.count, 0);
    b.values[PROFILE_BYTES] = 0; /* nothing is a value */
    difference_find(&a, &b, floors, &found);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.items[0].name, "bytes");
}

static void two_runs_measure_no_floor(void **state)
{
    (void)state;
    struct profile two[2];
    double out[PROFILE_MEASURE_COUNT];
    load(PLANTED_NOTHING, 1, &two[0]);
    load(PLANTED_NOTHING, 2, &two[1]);
    assert_int_equal(difference_floors_measure(two, 2, out), -EINVAL);
}

static void a_log_that_is_cut_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    struct profile p;
    planted_make(PLANTED_NOTHING, 1, &log);
    for (size_t size = 0; size < log.size; size += 97) {
        struct err err = { 0 };
        if (job_log_profile_memory(log.data, size, &p, &err) == 0)
            assert_true(p.fault_count > 0);
        else
            assert_true(err.text[0] != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_tells_what_the_log_holds),
        cmocka_unit_test(planted_differences_come_first),
        cmocka_unit_test(alike_runs_do_not_differ),
        cmocka_unit_test(a_missing_value_is_no_difference),
        cmocka_unit_test(two_runs_measure_no_floor),
        cmocka_unit_test(a_log_that_is_cut_is_read_as_far_as_it_goes),
    };
    return cmocka_run_group_tests(tests, measure, NULL);
}
