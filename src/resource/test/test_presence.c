/* SPDX-License-Identifier: Apache-2.0 */
/* test_presence - hosts that send are known, silent ones are unknown, never down. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "resource/resource.h"

#include <errno.h>

static const int64_t start_ns = INT64_C(1669014000) * NS_PER_S; /* 07:00:00 */

static int64_t at(int64_t s)
{
    return start_ns + s * NS_PER_S;
}

static void on_statement(void *arg, const struct resource_statement *s)
{
    struct strbuf *out = arg;
    assert_null(resource_statement_check(s));
    assert_true(s->health == RESOURCE_UP || s->health == RESOURCE_UNKNOWN);
    strbuf_addf(out, SPAN_FMT " %s %lld " SPAN_FMT ";", SPAN_ARG(s->component),
                resource_health_name(s->health),
                (long long)((s->t_ns - start_ns) / NS_PER_S), SPAN_ARG(s->reason));
}

static void check_is(struct presence *p, int64_t t, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    presence_check(p, at(t), on_statement, &out);
    assert_string_equal(strbuf_text(&out), want);
}

static struct presence *made(size_t hosts_max)
{
    const struct presence_opts opts = { .hosts_max = hosts_max,
                                        .silent_after_ns = 60 * NS_PER_S };
    struct presence *p = NULL;
    assert_int_equal(presence_new(&opts, &p), 0);
    return p;
}

static void heard(struct presence *p, const char *host, int64_t t)
{
    assert_int_equal(
        presence_heard(p, SPAN("alex"), span_of(host), PRESENCE_SAMPLE, at(t)), 0);
}

static void a_silent_host_is_unknown_until_it_sends(void **state)
{
    AUTO(presence_free) struct presence *p = made(10);
    (void)state;
    heard(p, "a1", 0);
    check_is(p, 1, "alex/a1 up 1 ;");
    for (int t = 10; t <= 100; t += 10) {
        heard(p, "a1", t);
        check_is(p, t, "");
    }
    check_is(p, 159, "");
    check_is(p, 160,
             "alex/a1 unknown 100 presence: no sample since "
             "2022-11-21T07:01:40Z;");
    check_is(p, 170, "");
    heard(p, "a1", 200);
    check_is(p, 200, "alex/a1 up 200 ;");
    /* The silence is no interval. */
    heard(p, "a1", 210);
    check_is(p, 271,
             "alex/a1 unknown 210 presence: no sample since "
             "2022-11-21T07:03:30Z;");
}

static void a_slow_sender_has_three_of_its_intervals(void **state)
{
    AUTO(presence_free) struct presence *p = made(10);
    (void)state;
    for (int t = 0; t <= 1200; t += 300) {
        heard(p, "a1", t);
        check_is(p, t, t == 0 ? "alex/a1 up 0 ;" : "");
    }
    check_is(p, 1200 + 899, "");
    check_is(p, 1200 + 900,
             "alex/a1 unknown 1200 presence: no sample since 2022-11-21T07:20:00Z;");
}

static void one_that_a_session_lost_is_silent_soon(void **state)
{
    AUTO(presence_free) struct presence *p = made(10);
    (void)state;
    assert_int_equal(
        presence_heard(p, SPAN("alex"), SPAN("a1"), PRESENCE_MEMBER, at(0)), 0);
    check_is(p, 0, "alex/a1 up 0 ;");
    presence_lost(p, SPAN("alex"), SPAN("a1"), at(3));
    presence_lost(p, SPAN("alex"), SPAN("none"), at(3));
    check_is(
        p, 4,
        "alex/a1 unknown 3 presence: lost by the session at 2022-11-21T07:00:03Z;");
    /* Its samples come: only the tree does not have it. */
    heard(p, "a1", 5);
    check_is(p, 5, "alex/a1 up 5 ;");
    heard(p, "a1", 15);
    presence_lost(p, SPAN("alex"), SPAN("a1"), at(20));
    check_is(p, 21, "");
    heard(p, "a1", 25);
    check_is(p, 40, "");
}

static void names_and_numbers_are_bounded(void **state)
{
    AUTO(presence_free) struct presence *p = made(2);
    struct presence_counts counts;
    static const char *const bad[] = { "",    "a b",  "a/b", "-a", ".a",
                                       "a\n", "a\\x", "a:b", "*",  "\xc3\xa4" };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(
            presence_heard(p, SPAN("alex"), span_of(bad[i]), PRESENCE_SAMPLE, at(0)),
            -EINVAL);
        assert_int_equal(
            presence_heard(p, span_of(bad[i]), SPAN("a1"), PRESENCE_SAMPLE, at(0)),
            -EINVAL);
    }
    heard(p, "a1", 0);
    heard(p, "a2", 0);
    assert_int_equal(
        presence_heard(p, SPAN("alex"), SPAN("a3"), PRESENCE_SAMPLE, at(0)), -ENOSPC);
    heard(p, "a1", 1);
    presence_count(p, &counts);
    assert_int_equal(counts.hosts, 2);
    assert_int_equal(counts.refused, 2 * COUNT_OF(bad) + 1);
}

static void what_was_stated_before_a_start_has_time(void **state)
{
    AUTO(presence_free) struct presence *p = made(10);
    (void)state;
    assert_int_equal(presence_known(p, SPAN("alex/a1"), false, at(0)), 0);
    assert_int_equal(presence_known(p, SPAN("alex/a2"), true, at(0)), 0);
    check_is(p, 599, "");
    check_is(p, 600,
             "alex/a1 unknown 0 presence: nothing since barod's start at "
             "2022-11-21T07:00:00Z;");
    heard(p, "a2", 700);
    check_is(p, 700, "alex/a2 up 700 ;");
    check_is(p, 4300,
             "alex/a2 unknown 700 presence: no sample since "
             "2022-11-21T07:11:40Z;");
    check_is(p, 7900,
             "alex/a2 unknown 700 presence: no sample since "
             "2022-11-21T07:11:40Z;");
}

/* ---- in the table ---- */

static void put(struct resource_table *table, const char *component, const char *source,
                enum resource_health health, int64_t t)
{
    const struct resource_statement s = { .component = span_of(component),
                                          .source = span_of(source),
                                          .health = health,
                                          .reason = health ? SPAN("r") : SPAN(""),
                                          .t_ns = at(t) };
    assert_int_equal(resource_table_apply(table, &s, 1, at(t)), 0);
}

static int print_view(void *arg, const struct resource_view *view)
{
    strbuf_addf(arg, SPAN_FMT " %s " SPAN_FMT ";", SPAN_ARG(view->component),
                resource_health_name(view->health), SPAN_ARG(view->cause));
    return 0;
}

static void table_is(struct resource_table *table, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct resource_filter all = { 0 };
    assert_int_equal(resource_table_each(table, &all, print_view, &out), 0);
    assert_string_equal(strbuf_text(&out), want);
}

static void parts_of_a_silent_host_are_unknown(void **state)
{
    static const struct resource_rules rules = { 0 };
    AUTO(resource_table_free) struct resource_table *table = NULL;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    (void)state;
    assert_int_equal(resource_table_new(&rules, &table, NULL), 0);
    assert_int_equal(resource_table_load(table, NULL, 0, at(0)), 0);
    put(table, "alex/a1/dimm:1", "system:edac", RESOURCE_UP, 1);
    put(table, "alex/a1/dimm:2", "system:edac", RESOURCE_DEGRADED, 1);
    put(table, "alex/a1", "system:presence", RESOURCE_UP, 2);
    table_is(table, "alex/a1 degraded alex/a1/dimm:2;alex/a1/dimm:1 up alex/a1/dimm:1;"
                    "alex/a1/dimm:2 degraded alex/a1/dimm:2;");
    put(table, "alex/a1", "system:presence", RESOURCE_UNKNOWN, 3);
    table_is(table, "alex/a1 degraded alex/a1/dimm:2;alex/a1/dimm:1 unknown alex/a1;"
                    "alex/a1/dimm:2 degraded alex/a1/dimm:2;");
    put(table, "alex/a1", "system:presence", RESOURCE_UP, 4);
    table_is(table, "alex/a1 degraded alex/a1/dimm:2;alex/a1/dimm:1 up alex/a1/dimm:1;"
                    "alex/a1/dimm:2 degraded alex/a1/dimm:2;");
    assert_int_equal(resource_table_host(table, SPAN("a1"), &path), 0);
    assert_string_equal(strbuf_text(&path), "alex/a1");
    assert_int_equal(resource_table_host(table, SPAN("a2"), &path), -ENOENT);
    put(table, "fritz/a1", "system:presence", RESOURCE_UP, 4);
    assert_int_equal(resource_table_host(table, SPAN("a1"), &path), -EEXIST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silent_host_is_unknown_until_it_sends),
        cmocka_unit_test(a_slow_sender_has_three_of_its_intervals),
        cmocka_unit_test(one_that_a_session_lost_is_silent_soon),
        cmocka_unit_test(names_and_numbers_are_bounded),
        cmocka_unit_test(what_was_stated_before_a_start_has_time),
        cmocka_unit_test(parts_of_a_silent_host_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
