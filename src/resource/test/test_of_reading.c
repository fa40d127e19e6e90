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

/* ---- who serves it ---- */

struct served {
    struct arena arena;
    struct resource_statement stored;
    bool is_there;
};

static void served_by(struct served *served, const char *server, int64_t t_s,
                      const char *want)
{
    const struct target_reading reading = { .target = SPAN("scratch-OST0001"),
                                            .t_ns = t_s * NS_PER_S,
                                            .server = span_of(server) };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct resource_statement s;
    int rc = resource_of_server(&reading, served->is_there ? &served->stored : NULL,
                                &served->arena, &s);
    assert_in_range(rc, 0, 1);
    if (rc == 1) {
        assert_null(resource_statement_check(&s));
        strbuf_addf(&out, SPAN_FMT " " SPAN_FMT " %s " SPAN_FMT, SPAN_ARG(s.component),
                    SPAN_ARG(s.source), resource_health_name(s.health),
                    SPAN_ARG(s.reason));
        served->stored = s;
        served->is_there = true;
    }
    assert_string_equal(strbuf_text(&out), want);
}

static void another_server_than_the_usual_one_is_a_failover(void **state)
{
    struct served served = { 0 };
    const int64_t t = INT64_C(1669014000);
    (void)state;
    arena_init(&served.arena, 0);
    served_by(&served, "", t, "");
    served_by(&served, "oss1", t,
              "scratch/scratch-OST0001 system:server up server: oss1");
    served_by(&served, "oss1", t + 60, "");
    served_by(&served, "oss2", t - 1, ""); /* late: of before */
    served_by(&served, "oss2", t + 120,
              "scratch/scratch-OST0001 system:server degraded server: served by oss2 "
              "at 2022-11-21T07:02:00Z, usually by oss1");
    served_by(&served, "oss2", t + 180, "");
    served_by(&served, "oss1", t + 240,
              "scratch/scratch-OST0001 system:server up server: oss1");
    served_by(&served, "oss2", t + 300,
              "scratch/scratch-OST0001 system:server degraded server: served by oss2 "
              "at 2022-11-21T07:05:00Z, usually by oss1");
    served_by(&served, "oss2", t + 300 + 7 * 86400 - 1, "");
    served_by(&served, "oss2", t + 300 + 7 * 86400,
              "scratch/scratch-OST0001 system:server up server: oss2");
    served_by(&served, "oss1", t + 301 + 7 * 86400,
              "scratch/scratch-OST0001 system:server degraded server: served by oss1 "
              "at 2022-11-28T07:05:01Z, usually by oss2");
    arena_done(&served.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reading_states_how_full_and_whether_there),
        cmocka_unit_test(what_was_not_read_is_not_stated),
        cmocka_unit_test(another_server_than_the_usual_one_is_a_failover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
