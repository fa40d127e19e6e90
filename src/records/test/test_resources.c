/* SPDX-License-Identifier: Apache-2.0 */
/* test_resources - statements about resources in the database, the same for both
 * engines. */
#include "base/number.h"
#include "base/span.h"
#include "records/resource/resources.h"
#include "records/test/fixture.h"

/* Run body on an empty database of each engine. */
#define EACH_ENGINE(f)                                                       \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)    \
        for (struct fixture f,                                               \
             *once_ = (fixture_start(&f, fixture_engines[engine_], ""), &f); \
             once_; fixture_stop(once_), once_ = NULL)

#define T(s) ((T0_MS / MS_PER_S - 100000 + (s)) * NS_PER_S)

static struct resource_statement stated(const char *component, const char *source,
                                        enum resource_health health, const char *reason,
                                        int64_t t_ns)
{
    return (struct resource_statement){ .component = span_of(component),
                                        .source = span_of(source),
                                        .by = SPAN("carol"),
                                        .reason = span_of(reason),
                                        .health = health,
                                        .t_ns = t_ns };
}

static int print_statement(void *arg, const struct resource_statement *s)
{
    strbuf_addf(arg, SPAN_FMT " " SPAN_FMT " %lld %s " SPAN_FMT "\n",
                SPAN_ARG(s->component), SPAN_ARG(s->source),
                (long long)((s->t_ns - T(0)) / NS_PER_S),
                resource_health_name(s->health), SPAN_ARG(s->reason));
    return 0;
}

static void check_held(struct fixture *f, const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    if (records_find_resources(f->reader, print_statement, &text, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
}

static bool check_history(struct fixture *f, const char *component, size_t limit,
                          const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct resource_change_filter filter = {
        .component = { component, component ? strlen(component) : 0 },
        .from_ns = T(0),
        .to_ns = T(1000),
        .limit = limit,
    };
    struct err err = { 0 };
    bool has_more = false;
    if (records_find_resource_changes(f->reader, &filter, print_statement, &text,
                                      &has_more, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
    return has_more;
}

static struct records_submission put(struct fixture *f,
                                     const struct resource_statement *statements,
                                     size_t count)
{
    struct records_submission submission = { 0 };
    struct err err = { 0 };
    if (records_put_resources(f->records, statements, count, T0_MS, &submission, &err) <
        0)
        fail_msg("%s: %s", f->engine, err.text);
    return submission;
}

static void what_is_stated_again_makes_no_row(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct resource_statement statements[] = {
            stated("alex/a1", "system:ping", RESOURCE_DOWN, "no response", T(10)),
            stated("alex/a1", "system:ping", RESOURCE_UP, "", T(20)),
            stated("alex/a1", "admin", RESOURCE_DRAINED, "board swap", T(15)),
            stated("alex/a1/dimm:3", "system:edac", RESOURCE_DEGRADED, "1 error",
                   T(12)),
        };
        assert_int_equal(put(&f, statements, COUNT_OF(statements)).accepted, 3);
        for (int again = 0; again < 2; again++)
            assert_int_equal(put(&f, statements, COUNT_OF(statements)).duplicate, 4);
        /* Later, but the same. */
        const struct resource_statement later =
            stated("alex/a1", "admin", RESOURCE_DRAINED, "board swap", T(50));
        assert_int_equal(put(&f, &later, 1).duplicate, 1);
        fixture_reopen(&f);
        check_held(&f, "alex/a1 admin 15 drained board swap\n"
                       "alex/a1 system:ping 20 up \n"
                       "alex/a1/dimm:3 system:edac 12 degraded 1 error\n");
        check_history(&f, NULL, 0,
                      "alex/a1 system:ping 20 up \n"
                      "alex/a1 admin 15 drained board swap\n"
                      "alex/a1/dimm:3 system:edac 12 degraded 1 error\n"
                      "alex/a1 system:ping 10 down no response\n");
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM resource_health "
                                            "WHERE by_whom = 'carol'"),
                         3);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM resource_history "
                                            "WHERE start_time IS NOT NULL"),
                         4);
    }
}

static void an_earlier_statement_replaces_nothing(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct resource_statement up =
            stated("alex/a1", "system:ping", RESOURCE_UP, "", T(20));
        const struct resource_statement late =
            stated("alex/a1", "system:ping", RESOURCE_DOWN, "no response", T(10));
        const struct resource_statement same_time =
            stated("alex/a1", "system:ping", RESOURCE_DOWN, "no response", T(20));
        assert_int_equal(put(&f, &up, 1).accepted, 1);
        assert_int_equal(put(&f, &late, 1).duplicate, 1);
        assert_int_equal(put(&f, &same_time, 1).duplicate, 1);
        fixture_reopen(&f);
        check_held(&f, "alex/a1 system:ping 20 up \n");
    }
}

/* A count in the reason of a check makes no row a trigger; a person's reason does. */
static void a_reason_alone_is_history_where_a_person_gave_it(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct resource_statement statements[] = {
            stated("alex/a1", "system:edac", RESOURCE_DEGRADED, "1 error", T(1)),
            stated("alex/a1", "system:edac", RESOURCE_DEGRADED, "2 errors", T(2)),
            stated("alex/a2", "admin", RESOURCE_DRAINED, "disk", T(3)),
            stated("alex/a2", "admin", RESOURCE_DRAINED, "disk and board", T(4)),
        };
        for (size_t i = 0; i < COUNT_OF(statements); i++)
            (void)put(&f, &statements[i], 1);
        fixture_reopen(&f);
        check_held(&f, "alex/a1 system:edac 2 degraded 2 errors\n"
                       "alex/a2 admin 4 drained disk and board\n");
        check_history(&f, NULL, 0,
                      "alex/a2 admin 4 drained disk and board\n"
                      "alex/a2 admin 3 drained disk\n"
                      "alex/a1 system:edac 1 degraded 1 error\n");
    }
}

static void the_history_of_a_component_has_its_parts(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const char *const components[] = { "alex/a1",  "alex/a1/dimm:3",
                                           "alex/a10", "alex/a1-b",
                                           "alexa/a1", "alex/a1/x:1/y:2" };
        for (size_t i = 0; i < COUNT_OF(components); i++) {
            const struct resource_statement s = stated(
                components[i], "system:x", RESOURCE_DOWN, "r", T((int64_t)i + 1));
            (void)put(&f, &s, 1);
        }
        fixture_reopen(&f);
        assert_false(check_history(&f, "alex/a1", 0,
                                   "alex/a1/x:1/y:2 system:x 6 down r\n"
                                   "alex/a1/dimm:3 system:x 2 down r\n"
                                   "alex/a1 system:x 1 down r\n"));
        assert_true(check_history(&f, "alex/a1", 2,
                                  "alex/a1/x:1/y:2 system:x 6 down r\n"
                                  "alex/a1/dimm:3 system:x 2 down r\n"));
    }
}

static void bad_ones_are_refused_one_by_one(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct resource_statement statements[] = {
            stated("alex", "system:x", RESOURCE_DOWN, "r", T(1)),
            stated("alex/a1", "ping", RESOURCE_DOWN, "r", T(1)),
            stated("alex/a1", "user:eve", RESOURCE_DRAINED, "r", T(1)),
            stated("alex/a1", "system:x", RESOURCE_DOWN, "", T(1)),
            stated("alex/a1", "system:x", RESOURCE_DOWN, "r", 0),
            stated("alex/a1", "system:x", RESOURCE_DOWN, "r", T(1)),
        };
        struct records_submission in = put(&f, statements, COUNT_OF(statements));
        assert_int_equal(in.accepted, 1);
        assert_int_equal(in.refused, 5);
        assert_non_null(strstr(in.refusals[2].reason, "administrator"));
    }
}

/* barod's clock was two days ahead: what is stated since goes on from that. */
static void what_was_stated_by_a_clock_ahead_can_be_changed(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const int64_t ahead_ns = T(2 * INT64_C(86400));
        const struct resource_statement up =
            stated("alex/a1", "system:x", RESOURCE_UP, "", ahead_ns);
        const struct resource_statement down =
            stated("alex/a1", "system:x", RESOURCE_DOWN, "r", ahead_ns + 1);
        assert_int_equal(put(&f, &up, 1).accepted, 1);
        assert_int_equal(put(&f, &down, 1).changed, 1);
    }
}

/* The clock is at T0; what holds since long ago is no old row. */
static void the_retention_drops_history_and_not_what_holds(void **state)
{
    (void)state;
    for (size_t e = 0; e < fixture_engine_count(); e++) {
        struct fixture f;
        struct err err = { 0 };
        fixture_start(&f, fixture_engines[e], "");
        f.opts.retention_jobs_ns = 1000 * NS_PER_S;
        fixture_reopen(&f);
        const struct resource_statement statements[] = {
            stated("alex/a1", "admin", RESOURCE_DRAINED, "disk", T(1)),
            stated("alex/a2", "admin", RESOURCE_DRAINED, "disk", T(99999)),
        };
        assert_int_equal(put(&f, statements, COUNT_OF(statements)).accepted, 2);
        assert_int_equal(records_maintain(f.records, T0_MS, &err), 0);
        fixture_reopen(&f);
        check_held(&f, "alex/a1 admin 1 drained disk\n"
                       "alex/a2 admin 99999 drained disk\n");
        assert_int_equal(
            fixture_number(&f, "SELECT count(*) FROM resource_changes WHERE component "
                               "= 'alex/a1'"),
            0);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM resource_changes"),
                         1);
        fixture_stop(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stated_again_makes_no_row),
        cmocka_unit_test(an_earlier_statement_replaces_nothing),
        cmocka_unit_test(a_reason_alone_is_history_where_a_person_gave_it),
        cmocka_unit_test(the_history_of_a_component_has_its_parts),
        cmocka_unit_test(bad_ones_are_refused_one_by_one),
        cmocka_unit_test(what_was_stated_by_a_clock_ahead_can_be_changed),
        cmocka_unit_test(the_retention_drops_history_and_not_what_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
