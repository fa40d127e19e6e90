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

#define EVERY_S 5

/* The clock that does not step is another one than the time of day. */
static struct presence_time when(int64_t t)
{
    return (struct presence_time){ (t + 1000000) * NS_PER_S, at(t) };
}

static void check_once(struct presence *p, int64_t t, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct presence_time now = when(t);
    presence_check(p, &now, on_statement, &out);
    assert_string_equal(strbuf_text(&out), want);
}

static int64_t checked;

/* barod checks all the time: nothing is stated until then. */
static void check_is(struct presence *p, int64_t t, const char *want)
{
    while (checked + EVERY_S < t)
        check_once(p, checked += EVERY_S, "");
    check_once(p, checked = t, want);
}

static struct presence *made(size_t hosts_max)
{
    const struct presence_opts opts = { .hosts_max = hosts_max,
                                        .silent_after_ns = 60 * NS_PER_S,
                                        .check_every_ns = EVERY_S * NS_PER_S };
    struct presence *p = NULL;
    checked = 0;
    assert_int_equal(presence_new(&opts, &p), 0);
    return p;
}

static int heard_as(struct presence *p, struct span cluster, struct span host,
                    enum presence_sign sign, int64_t t)
{
    const struct presence_time now = when(t);
    return presence_heard(p, cluster, host, sign, &now);
}

/* With the checks that came before it. */
static void heard(struct presence *p, const char *host, int64_t t)
{
    while (checked + EVERY_S < t)
        check_once(p, checked += EVERY_S, "");
    assert_int_equal(heard_as(p, SPAN("alex"), span_of(host), PRESENCE_SAMPLE, t), 0);
}

static void member(struct presence *p, const char *host, int64_t t)
{
    assert_int_equal(heard_as(p, SPAN("alex"), span_of(host), PRESENCE_MEMBER, t), 0);
}

static void lost(struct presence *p, const char *host, int64_t t)
{
    const struct presence_time now = when(t);
    presence_lost(p, SPAN("alex"), span_of(host), &now);
}

static int known(struct presence *p, const char *path, bool is_silent, int64_t since,
                 int64_t t)
{
    const struct presence_time now = when(t);
    return presence_known(p, span_of(path), is_silent, at(since), &now);
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
    check_is(p, 269, "");
    check_is(p, 270,
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

/* One silence is no interval; a second of that length behind it shows that it is. */
static void one_that_sends_seldom_is_learned(void **state)
{
    AUTO(presence_free) struct presence *p = made(10);
    (void)state;
    heard(p, "a1", 0);
    check_is(p, 0, "alex/a1 up 0 ;");
    for (int t = 0; t < 3600; t += 1800) {
        check_is(p, t + 599, "");
        check_once(p, t + 600,
                   t == 0 ? "alex/a1 unknown 0 presence: no sample since "
                            "2022-11-21T07:00:00Z;"
                          : "alex/a1 unknown 1800 presence: no sample since "
                            "2022-11-21T07:30:00Z;");
        checked = t + 600;
        heard(p, "a1", t + 1800);
        check_is(p, t + 1800, t == 0 ? "alex/a1 up 1800 ;" : "alex/a1 up 3600 ;");
    }
    heard(p, "a1", 5400);
    check_is(p, 7199, "");
    check_is(p, 7200, "alex/a1 up 3600 ;"); /* again, an hour later */
    heard(p, "a1", 7200);
    check_is(p, 10799, "");
}

/* The machine was stopped, or barod was: it heard no host. */
static void a_pause_of_barod_is_no_silence(void **state)
{
    AUTO(presence_free) struct presence *p = made(10);
    (void)state;
    for (int t = 0; t <= 100; t += 10) {
        heard(p, "a1", t);
        heard(p, "a2", t);
        check_is(p, t, t == 0 ? "alex/a1 up 0 ;alex/a2 up 0 ;" : "");
    }
    check_once(p, 3000, "");
    heard_as(p, SPAN("alex"), SPAN("a1"), PRESENCE_SAMPLE, 3007);
    checked = 3000;
    check_is(p, 3055, "");
    /* It was no interval of a1, and a2 is silent from then on. */
    check_once(p, 3060,
               "alex/a2 unknown 100 presence: no sample since 2022-11-21T07:01:40Z;");
    checked = 3060;
    check_is(p, 3066, "");
    check_is(p, 3067,
             "alex/a1 unknown 3007 presence: no sample since 2022-11-21T07:50:07Z;");
}

static void a_step_of_the_clock_is_no_silence(void **state)
{
    static const int64_t steps[] = { 7200, -7200, 90000, -90000 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        AUTO(presence_free) struct presence *p = made(10);
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        for (int t = 0; t <= 100; t += 10) {
            heard(p, "a1", t);
            check_is(p, t, t == 0 ? "alex/a1 up 0 ;" : "");
        }
        lost(p, "a1", 101);
        for (int t = 105; t < 120; t += 5) {
            struct presence_time now = when(t);
            now.t_ns += steps[i] * NS_PER_S;
            presence_check(p, &now, on_statement, &out);
            assert_string_equal(strbuf_text(&out), "");
        }
        /* What is silent is so soon all the same, and later than what was stated. */
        for (int t = 120; t <= 130; t += 5) {
            struct presence_time now = when(t);
            now.t_ns += steps[i] * NS_PER_S;
            presence_check(p, &now, on_statement, &out);
        }
        assert_string_equal(strbuf_text(&out),
                            "alex/a1 unknown 101 presence: lost by the session at "
                            "2022-11-21T07:01:41Z;");
    }
}

static void one_that_a_session_lost_is_silent_soon(void **state)
{
    AUTO(presence_free) struct presence *p = made(10);
    (void)state;
    member(p, "a1", 0);
    check_is(p, 0, "alex/a1 up 0 ;");
    lost(p, "a1", 3);
    lost(p, "none", 3);
    check_is(
        p, 4,
        "alex/a1 unknown 3 presence: lost by the session at 2022-11-21T07:00:03Z;");
    /* Its samples come: only the tree does not have it. */
    heard(p, "a1", 5);
    check_is(p, 5, "alex/a1 up 5 ;");
    heard(p, "a1", 15);
    lost(p, "a1", 20);
    check_is(p, 21, "");
    heard(p, "a1", 25);
    check_is(p, 40, "");
}

/* Contact comes each few seconds: it is no sample, and says nothing of their interval.
 */
static void one_that_a_session_lost_has_the_interval_of_its_samples(void **state)
{
    AUTO(presence_free) struct presence *p = made(10);
    (void)state;
    heard(p, "a1", 0);
    check_is(p, 0, "alex/a1 up 0 ;");
    for (int t = 5; t <= 300; t += 5) {
        if (t % 30 == 0)
            heard(p, "a1", t);
        member(p, "a1", t);
        check_is(p, t, "");
    }
    lost(p, "a1", 302);
    for (int t = 330; t <= 600; t += 30) {
        check_is(p, t - 1, "");
        heard(p, "a1", t);
    }
    check_is(p, 600 + 89, "");
    check_is(p, 600 + 90,
             "alex/a1 unknown 600 presence: no sample since 2022-11-21T07:10:00Z;");
}

static void one_that_is_silent_for_long_gives_way(void **state)
{
    enum { WEEK = 7 * 24 * 3600 };
    AUTO(presence_free) struct presence *p = made(3);
    struct presence_counts counts;
    (void)state;
    /* Silent since before this start, for more than a week, for less, and one that
     * sends. */
    assert_int_equal(known(p, "alex/old", true, -WEEK, 0), 0);
    assert_int_equal(known(p, "alex/young", true, -WEEK + 600, 0), 0);
    heard(p, "a1", 0);
    check_is(p, 0, "alex/a1 up 0 ;");
    heard(p, "a2", 1);
    check_is(p, 1, "alex/a2 up 1 ;");
    heard(p, "a1", 1);
    presence_count(p, &counts);
    assert_int_equal(counts.hosts, 3);
    assert_int_equal(counts.silent, 1);
    assert_int_equal(heard_as(p, SPAN("alex"), SPAN("a3"), PRESENCE_SAMPLE, 2),
                     -ENOSPC);
    for (int t = 10; t < 700; t += 10) {
        heard(p, "a1", t);
        heard(p, "a2", t);
    }
    heard(p, "a3", 700);
    check_is(p, 700, "alex/a3 up 700 ;");
    assert_int_equal(heard_as(p, SPAN("alex"), SPAN("young"), PRESENCE_SAMPLE, 700),
                     -ENOSPC);
    /* Each is where it was. */
    for (int t = 710; t < 800; t += 10) {
        heard(p, "a1", t);
        heard(p, "a2", t);
        heard(p, "a3", t);
    }
    check_is(p, 800, "");
}

struct counted {
    struct presence *p;
    size_t statements, hosts;
};

static void on_counted(void *arg, const struct resource_statement *s)
{
    struct counted *counted = arg;
    struct presence_counts counts;
    (void)s;
    presence_count(counted->p, &counts);
    counted->statements++;
    counted->hosts = counts.hosts;
}

/* Whoever hears of a host does not wait until ten thousand statements are made. */
static void statements_are_given_without_the_lock(void **state)
{
    AUTO(presence_free) struct presence *p = made(10);
    struct counted counted = { .p = p };
    const struct presence_time now = when(1);
    (void)state;
    heard(p, "a1", 0);
    heard(p, "a2", 0);
    presence_check(p, &now, on_counted, &counted);
    assert_int_equal(counted.statements, 2);
    assert_int_equal(counted.hosts, 2);
}

static void names_and_numbers_are_bounded(void **state)
{
    AUTO(presence_free) struct presence *p = made(2);
    struct presence_counts counts;
    static const char *const bad[] = { "",    "a b",  "a/b", "-a", ".a",
                                       "a\n", "a\\x", "a:b", "*",  "\xc3\xa4" };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(heard_as(p, SPAN("alex"), span_of(bad[i]), PRESENCE_SAMPLE, 0),
                         -EINVAL);
        assert_int_equal(heard_as(p, span_of(bad[i]), SPAN("a1"), PRESENCE_SAMPLE, 0),
                         -EINVAL);
    }
    heard(p, "a1", 0);
    heard(p, "a2", 0);
    assert_int_equal(heard_as(p, SPAN("alex"), SPAN("a3"), PRESENCE_SAMPLE, 0),
                     -ENOSPC);
    heard(p, "a1", 1);
    presence_count(p, &counts);
    assert_int_equal(counts.hosts, 2);
    assert_int_equal(counts.refused, 2 * COUNT_OF(bad) + 1);
}

static void what_was_stated_before_a_start_has_time(void **state)
{
    AUTO(presence_free) struct presence *p = made(10);
    (void)state;
    assert_int_equal(known(p, "alex/a1", false, -9, 0), 0);
    assert_int_equal(known(p, "alex/a2", true, -9, 0), 0);
    check_is(p, 599, "");
    check_is(p, 600,
             "alex/a1 unknown 0 presence: nothing since barod's start at "
             "2022-11-21T07:00:00Z;");
    heard(p, "a2", 700);
    check_is(p, 700, "alex/a2 up 700 ;");
    check_is(p, 1299, "");
    check_is(p, 1300,
             "alex/a2 unknown 700 presence: no sample since "
             "2022-11-21T07:11:40Z;");
    check_is(p, 4900,
             "alex/a2 unknown 700 presence: no sample since "
             "2022-11-21T07:11:40Z;");
    /* The clock was set back since: what follows is later than that all the same. */
    assert_int_equal(known(p, "alex/a3", true, 10000, 4900), 0);
    heard(p, "a3", 4905);
    check_is(p, 4905, "alex/a3 up 10000 ;");
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
        cmocka_unit_test(one_that_sends_seldom_is_learned),
        cmocka_unit_test(a_pause_of_barod_is_no_silence),
        cmocka_unit_test(a_step_of_the_clock_is_no_silence),
        cmocka_unit_test(one_that_a_session_lost_is_silent_soon),
        cmocka_unit_test(one_that_a_session_lost_has_the_interval_of_its_samples),
        cmocka_unit_test(one_that_is_silent_for_long_gives_way),
        cmocka_unit_test(statements_are_given_without_the_lock),
        cmocka_unit_test(names_and_numbers_are_bounded),
        cmocka_unit_test(what_was_stated_before_a_start_has_time),
        cmocka_unit_test(parts_of_a_silent_host_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
