/* SPDX-License-Identifier: Apache-2.0 */
/* test_health_history - how full targets were over a window, and who served them. */
#include "analysis/weather/health_history.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <string.h>

#define AGE_NS (3600 * NS_PER_S)

static const char df[] =
    "BEGIN 1000\n"
    "UUID                   1K-blocks        Used   Available Use% Mounted on\n"
    "fs-OST0000_UUID             1000         200         800  20% /fs[OST:0]\n"
    "fs-OST0001_UUID             1000         600         400  60% /fs[OST:1]\n"
    "BEGIN 2000\n"
    "UUID                   1K-blocks        Used   Available Use% Mounted on\n"
    "fs-OST0000_UUID             1000         900         100  90% /fs[OST:0]\n"
    "fs-OST0001_UUID             1000         700         300  70% /fs[OST:1]\n"
    "BEGIN 9000\n"
    "UUID                   1K-blocks        Used   Available Use% Mounted on\n"
    "fs-OST0000_UUID             1000          10         990   1% /fs[OST:0]\n";

static const char dl[] = "BEGIN 1000\n"
                         "  5 UP osc fs-OST0000-osc-ffff88 0 4 10.0.0.1@o2ib\n"
                         "  6 UP osc fs-OST0001-osc-ffff88 0 4 10.0.0.2@o2ib\n"
                         "BEGIN 1500\n"
                         "  5 UP osc fs-OST0000-osc-ffff88 0 4 10.0.0.2@o2ib\n"
                         "  6 UP osc fs-OST0001-osc-ffff88 0 4 10.0.0.2@o2ib\n";

static void read_window(int64_t from_s, int64_t to_s, struct health_history *ret)
{
    const struct span texts[] = { span_of(df), span_of(dl) };
    assert_int_equal(
        health_history_read(texts, 2, from_s * NS_PER_S, to_s * NS_PER_S, AGE_NS, ret),
        0);
}

static void fullness_is_that_of_the_end(void **state)
{
    (void)state;
    AUTO(health_history_done) struct health_history h = { 0 };
    read_window(1100, 3000, &h);
    assert_int_equal(h.full_count, 2);
    assert_string_equal(h.full[0].name, "fs-OST0000");
    assert_true(h.full[0].pct > 89.9 && h.full[0].pct < 90.1);
    assert_int_equal(h.full[0].t_ns, 2000 * NS_PER_S);
    assert_true(h.full[1].pct > 69.9 && h.full[1].pct < 70.1);
}

static void a_target_that_changed_its_server_moved(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t from_s, to_s;
        size_t moves;
    } cases[] = {
        { "within", 1100, 3000, 1 },
        { "before it", 1600, 3000, 0 },
        { "after it", 900, 1400, 0 },
        { "all of it", 900, 3000, 1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(health_history_done) struct health_history h = { 0 };
        read_window(cases[i].from_s, cases[i].to_s, &h);
        if (h.move_count != cases[i].moves)
            fail_msg("%s: %zu moves", cases[i].name, h.move_count);
        if (h.move_count == 0)
            continue;
        assert_string_equal(h.moves[0].target, "fs-OST0000");
        assert_string_equal(h.moves[0].from, "10.0.0.1@o2ib");
        assert_string_equal(h.moves[0].to, "10.0.0.2@o2ib");
        assert_int_equal(h.moves[0].t_ns, 1500 * NS_PER_S);
    }
}

/* The last readings before 7000 are older than an hour. */
static void an_old_reading_says_nothing(void **state)
{
    (void)state;
    AUTO(health_history_done) struct health_history h = { 0 };
    read_window(7000, 8000, &h);
    assert_int_equal(h.full_count, 0);
    assert_int_equal(h.readings, 0);
}

static void texts_without_a_time_say_nothing(void **state)
{
    (void)state;
    AUTO(health_history_done) struct health_history h = { 0 };
    const struct span texts[] = { span_of(strchr(df, '\n') + 1), span_of(""),
                                  span_of("BEGIN x\nnoise\n") };
    const struct span timeless = { texts[0].data,
                                   (size_t)(strstr(df, "BEGIN 2000") - texts[0].data) };
    const struct span all[] = { timeless, texts[1], texts[2] };
    assert_int_equal(
        health_history_read(all, COUNT_OF(all), 0, 3000 * NS_PER_S, AGE_NS, &h), 0);
    assert_int_equal(h.full_count, 0);
    assert_int_equal(h.move_count, 0);
}

static void an_offset_is_added_to_all_times(void **state)
{
    (void)state;
    AUTO(health_history_done) struct health_history h = { 0 };
    read_window(1100, 3000, &h);
    health_history_shift(&h, -30 * NS_PER_S);
    assert_int_equal(h.full[0].t_ns, 1970 * NS_PER_S);
    assert_int_equal(h.moves[0].t_ns, 1470 * NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fullness_is_that_of_the_end),
        cmocka_unit_test(a_target_that_changed_its_server_moved),
        cmocka_unit_test(an_old_reading_says_nothing),
        cmocka_unit_test(texts_without_a_time_say_nothing),
        cmocka_unit_test(an_offset_is_added_to_all_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
