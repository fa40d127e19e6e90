/* SPDX-License-Identifier: Apache-2.0 */
/* test_of_reading - what a reading of a target states about it. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "resource/of_reading.h"

static void check_reading(const struct target_reading *reading, const char *want)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct resource_statement statements[2];
    arena_init(&arena, 0);
    int count = resource_of_reading(reading, 95, &arena, statements);
    assert_true(count >= 0);
    for (int i = 0; i < count; i++) {
        assert_null(resource_statement_check(&statements[i]));
        strbuf_addf(&out, SPAN_FMT " " SPAN_FMT " %s " SPAN_FMT "\n",
                    SPAN_ARG(statements[i].component), SPAN_ARG(statements[i].source),
                    resource_health_name(statements[i].health),
                    SPAN_ARG(statements[i].reason));
    }
    assert_string_equal(strbuf_text(&out), want);
}

static void a_reading_states_how_full_and_whether_there(void **state)
{
    (void)state;
    struct target_reading reading = { .target = SPAN("scratch-OST0001"),
                                      .t_ns = INT64_C(1669014000) * NS_PER_S,
                                      .has_space = true,
                                      .total_kib = 1000,
                                      .used_kib = 949,
                                      .available_kib = 51,
                                      .server = SPAN("oss1") };
    check_reading(&reading, "scratch/scratch-OST0001 system:space up \n"
                            "scratch/scratch-OST0001 system:target up \n");
    reading.used_kib = 950;
    reading.source = SPAN("login1");
    reading.is_inactive = true;
    check_reading(&reading,
                  "scratch/scratch-OST0001 system:space degraded space: 95.0 % full at "
                  "2022-11-21T07:00:00Z, the limit is 95 %\n"
                  "scratch/scratch-OST0001 system:target@login1 degraded target: "
                  "inactive at 2022-11-21T07:00:00Z, as login1 sees it\n");
}

static void what_was_not_read_is_not_stated(void **state)
{
    (void)state;
    const struct target_reading space = { .target = SPAN("s-OST0001"),
                                          .t_ns = NS_PER_S,
                                          .has_space = true,
                                          .total_kib = TARGET_READING_KIB_MAX,
                                          .used_kib = TARGET_READING_KIB_MAX / 2 };
    check_reading(&space, "s/s-OST0001 system:space up \n");
    const struct target_reading none = { .target = SPAN("s-OST0001"),
                                         .t_ns = NS_PER_S,
                                         .has_space = true };
    check_reading(&none, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reading_states_how_full_and_whether_there),
        cmocka_unit_test(what_was_not_read_is_not_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
