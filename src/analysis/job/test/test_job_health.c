/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_health - the last reading before a job, and why there is none. */
#include "analysis/job/job.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

#define START_S INT64_C(1000)
#define HOUR_NS (INT64_C(3600) * NS_PER_S)

static const char fullness[] =
    "BEGIN 100\nscratch-OST0000_UUID  1000   100  900  10% /scratch[OST:0]\n"
    "scratch-OST0001_UUID  1000   200  800  20% /scratch[OST:1]\n"
    "BEGIN 900\nscratch-OST0000_UUID  1000   300  700  30% /scratch[OST:0]\n"
    "scratch-OST000a_UUID  1000   500  500  50% /scratch[OST:10]\n"
    "BEGIN 2000\nscratch-OST0000_UUID  1000   999  1  100% /scratch[OST:0]\n";

/* h1 has three targets, the others one each. */
static const char failover[] =
    "BEGIN 950\n0 UP osc scratch-OST0000-osc-ffff88 8dbd 5 h1@tcp\n"
    "1 UP osc scratch-OST0001-osc-ffff88 8dbd 5 h1@tcp\n"
    "2 UP osc scratch-OST0002-osc-ffff88 8dbd 5 h1@tcp\n"
    "3 UP osc scratch-OST0003-osc-ffff88 8dbd 5 h2@tcp\n"
    "4 UP osc scratch-OST0004-osc-ffff88 8dbd 5 h3@tcp\n"
    "5 UP osc scratch-OST0005-osc-ffff88 8dbd 5 h4@tcp\n";

/* From 1700 on h1 has what h2 had, and h4's since 5000, which is after the job. */
static const char moves[] =
    "BEGIN 950\n0 UP osc scratch-OST0000-osc-ffff88 8dbd 5 h1@tcp\n"
    "1 UP osc scratch-OST0002-osc-ffff88 8dbd 5 h2@tcp\n"
    "2 UP osc scratch-OST0003-osc-ffff88 8dbd 5 h2@tcp\n"
    "3 UP osc scratch-OST0004-osc-ffff88 8dbd 5 h4@tcp\n"
    "4 UP osc work-OST0000-osc-ffff88 8dbd 5 h2@tcp\n"
    "BEGIN 1550\n0 UP osc scratch-OST0000-osc-ffff88 8dbd 5 h1@tcp\n"
    "1 IN osc scratch-OST0002-osc-ffff88 8dbd 5 h2@tcp\n"
    "2 UP osc scratch-OST0003-osc-ffff88 8dbd 5 h2@tcp\n"
    "BEGIN 1700\n0 UP osc scratch-OST0000-osc-ffff88 8dbd 5 h1@tcp\n"
    "1 UP osc scratch-OST0002-osc-ffff88 8dbd 5 h1@tcp\n"
    "2 UP osc scratch-OST0003-osc-ffff88 8dbd 5 h1@tcp\n"
    "3 UP osc scratch-OST0004-osc-ffff88 8dbd 5 h4@tcp\n"
    "4 UP osc work-OST0000-osc-ffff88 8dbd 5 h1@tcp\n"
    "BEGIN 5000\n3 UP osc scratch-OST0004-osc-ffff88 8dbd 5 h1@tcp\n";

static int health_of(const char *const *texts, size_t count, const char *fs,
                     int64_t age_max_ns, struct arena *arena, struct job_health *ret)
{
    struct span spans[4];
    for (size_t i = 0; i < count; i++)
        spans[i] = span_of(texts[i]);
    arena_init(arena, 0);
    const struct job_health_window window = { START_S, START_S + 3000, age_max_ns };
    return job_health_read(spans, count, fs, &window, arena, ret);
}

static void the_last_reading_at_or_before_the_start_counts(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    const char *const texts[] = { fullness };
    struct job_health h;
    assert_int_equal(health_of(texts, 1, "/scratch", HOUR_NS, &arena, &h), 0);
    assert_int_equal(h.requested_s, START_S);
    assert_int_equal(h.actual_s, 900);
    assert_true(h.fullness_lead_s == 100);
    assert_int_equal(h.ost_count, 2);
    assert_int_equal(h.mean_kib, 400);
    assert_string_equal(h.fullest.name, "OST000a");
    assert_int_equal(h.fullest.index, 10);
    assert_int_equal(h.fullest.used_kib, 500);
    assert_true(h.fullest.pct == 50);
    assert_string_equal(h.emptiest.name, "OST0000");
    assert_true(h.overloaded_servers == JOB_I64_NONE && isnan(h.overload_factor));
    assert_null(h.refused);
    assert_null(h.full_targets);
}

static void all_that_are_nearly_full_are_named(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    const char *const texts[] = {
        "BEGIN 900\nscratch-OST0000_UUID 1000 900 100 90% /scratch[OST:0]\n"
        "scratch-OST000a_UUID 1000 965 35 97% /scratch[OST:10]\n"
        "scratch-MDT0000_UUID 1000 999 1 100% /scratch[MDT:0]\n"
        "work-OST0001_UUID 1000 999 1 100% /work[OST:1]\n"
        "scratch-OST000b_UUID 1000 990 10 99% /scratch[OST:11]\n"
    };
    struct job_health h;
    assert_int_equal(health_of(texts, 1, "/scratch", HOUR_NS, &arena, &h), 0);
    assert_string_equal(h.full_targets, "OST000a:96.5 OST000b:99.0");
    assert_string_equal(h.fullest.name, "OST000b");
}

static void servers_with_targets_of_others_are_overloaded(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    const char *const texts[] = { failover };
    struct job_health h;
    assert_int_equal(health_of(texts, 1, "scratch", HOUR_NS, &arena, &h), 0);
    assert_int_equal(h.actual_s, 950);
    assert_true(h.servers_lead_s == 50);
    assert_int_equal(h.overloaded_servers, 1);
    assert_int_equal(h.overloaded_targets, 3);
    assert_true(h.overloaded_pct == 50);
    assert_true(h.targets_per_server == 3);
    assert_true(h.ost_count == JOB_I64_NONE && isnan(h.fullness_lead_s));
    assert_null(h.fullest.name);
}

static void both_kinds_have_the_time_of_fullness(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    const char *const texts[] = { failover, fullness };
    struct job_health h;
    assert_int_equal(health_of(texts, 2, "/scratch", HOUR_NS, &arena, &h), 0);
    assert_int_equal(h.actual_s, 900);
    assert_true(h.fullness_lead_s == 100 && h.servers_lead_s == 50);
    assert_int_equal(h.overloaded_servers, 1);
}

static void targets_that_another_server_had_by_the_end_moved(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    const char *const texts[] = { moves };
    struct job_health h;
    assert_int_equal(health_of(texts, 1, "scratch", HOUR_NS, &arena, &h), 0);
    assert_int_equal(h.moved_count, 2);
    assert_string_equal(h.moved_targets, "scratch-OST0002 scratch-OST0003");
    assert_string_equal(h.moved_from, "h2@tcp");
    assert_string_equal(h.moved_to, "h1@tcp");
    assert_int_equal(h.moved_s, 1700);
}

static void one_reading_does_not_tell_what_moved(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    const char *const alone[] = { failover };
    const char *const full[] = { fullness };
    struct job_health h;
    assert_int_equal(health_of(alone, 1, "scratch", HOUR_NS, &arena, &h), 0);
    assert_true(h.moved_count == JOB_I64_NONE && !h.moved_targets);
    arena_done(&arena);
    assert_int_equal(health_of(full, 1, "scratch", HOUR_NS, &arena, &h), 0);
    assert_true(h.moved_count == JOB_I64_NONE && !h.moved_targets);
}

static void what_does_not_fit_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *fs;
        int64_t age_max_ns;
        const char *want; /* a part of the reason; NULL: none */
    } cases[] = {
        { "too old", fullness, "/scratch", 10 * NS_PER_S, "" },
        { "later", "BEGIN 2000\nscratch-OST0000_UUID 10 5 5 50% /scratch[OST:0]\n",
          "/scratch", HOUR_NS, "" },
        { "empty", "", "/scratch", HOUR_NS, "" },
        { "another file system", fullness, "/home", HOUR_NS, "not in the readings" },
        { "no file system", fullness, NULL, HOUR_NS, "not in the readings" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        struct job_health h;
        assert_int_equal(
            health_of(&cases[i].text, 1, cases[i].fs, cases[i].age_max_ns, &arena, &h),
            0);
        if (!h.refused || !strstr(h.refused, cases[i].want))
            fail_msg("%s: %s", cases[i].name, h.refused ? h.refused : "not refused");
        if (h.requested_s != JOB_I64_NONE || h.ost_count != JOB_I64_NONE)
            fail_msg("%s: something is there", cases[i].name);
    }
    AUTO(arena_done) struct arena arena;
    struct job_health h;
    assert_int_equal(health_of(NULL, 0, "/scratch", HOUR_NS, &arena, &h), 0);
    assert_null(h.refused); /* no text, no reason */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_reading_at_or_before_the_start_counts),
        cmocka_unit_test(all_that_are_nearly_full_are_named),
        cmocka_unit_test(servers_with_targets_of_others_are_overloaded),
        cmocka_unit_test(both_kinds_have_the_time_of_fullness),
        cmocka_unit_test(targets_that_another_server_had_by_the_end_moved),
        cmocka_unit_test(one_reading_does_not_tell_what_moved),
        cmocka_unit_test(what_does_not_fit_is_refused_with_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
