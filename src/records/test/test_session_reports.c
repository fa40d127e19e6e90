/* SPDX-License-Identifier: Apache-2.0 */
/* test_session_reports - sessions of users in the database, the same for both engines.
 */
#include "base/number.h"
#include "base/span.h"
#include "records/session/session_reports.h"
#include "records/test/fixture.h"

#include <sqlite3.h>

/* Run body on an empty database of each engine. */
#define EACH_ENGINE(f)                                                       \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)    \
        for (struct fixture f,                                               \
             *once_ = (fixture_start(&f, fixture_engines[engine_], ""), &f); \
             once_; fixture_stop(once_), once_ = NULL)

#define T(s) ((T0_MS / MS_PER_S - 100000 + (s)) * NS_PER_S)
#define ID_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ID_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static struct session_report report(const char *uid, const char *session,
                                    const char *name, uint64_t sequence, int64_t t_ns)
{
    return (struct session_report){ .uid = span_of(uid),
                                    .session = span_of(session),
                                    .name = span_of(name),
                                    .sequence = sequence,
                                    .host = SPAN("a1"),
                                    .start_ns = T(0),
                                    .t_ns = t_ns };
}

static int print_report(void *arg, const struct session_report *r)
{
    strbuf_addf(arg, SPAN_FMT " %c%llu " SPAN_FMT " %lld%s " SPAN_FMT "\n",
                SPAN_ARG(r->uid), r->session.data[0], (unsigned long long)r->sequence,
                SPAN_ARG(r->name), (long long)((r->t_ns - T(0)) / NS_PER_S),
                r->has_ended ? " ended" : "", SPAN_ARG(r->reason));
    return 0;
}

static void check_found(struct fixture *f, const struct session_report_filter *filter,
                        bool want_more, const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    bool has_more = false;
    if (records_find_session_reports(f->reader, filter, print_report, &text, &has_more,
                                     &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
    assert_int_equal(has_more, want_more);
}

static struct records_submission put(struct fixture *f,
                                     const struct session_report *reports, size_t count)
{
    struct records_submission submission = { 0 };
    struct err err = { 0 };
    if (records_put_session_reports(f->records, reports, count, T0_MS, &submission,
                                    &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    return submission;
}

static void the_latest_report_holds_and_an_end_stays(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct session_report_filter all = { .limit = 10 };
        struct session_report r = report("1000", ID_A, "run", 0, T(10));
        assert_int_equal(put(&f, &r, 1).accepted, 1);
        assert_int_equal(put(&f, &r, 1).duplicate, 1);
        r.t_ns = T(5);
        r.reason = SPAN("late");
        assert_int_equal(put(&f, &r, 1).duplicate, 1);
        r.t_ns = T(20);
        r.reason = SPAN("later");
        assert_int_equal(put(&f, &r, 1).changed, 1);
        check_found(&f, &all, false, "1000 a0 run 20 later\n");
        r.has_ended = true;
        r.t_ns = T(15); /* the clock of the node was set back */
        assert_int_equal(put(&f, &r, 1).changed, 1);
        r.has_ended = false;
        r.t_ns = T(30);
        assert_int_equal(put(&f, &r, 1).duplicate, 1);
        check_found(&f, &all, false, "1000 a0 run 15 ended later\n");
    }
}

static void an_event_is_stored_once_and_no_other_user_reaches_it(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct session_report reports[] = {
            report("1000", ID_A, "run", 0, T(10)),
            report("1000", ID_A, "fds.high", 1, T(11)),
            report("1000", ID_A, "fds.high", 1, T(12)), /* again */
            report("2000", ID_A, "fds.other", 1, T(13)),
            report("1000", ID_A, "fds.low", 2, T(14)),
        };
        struct records_submission got = put(&f, reports, COUNT_OF(reports));
        assert_int_equal(got.accepted, 4);
        assert_int_equal(got.duplicate, 1);
        reports[1].name = SPAN("changed");
        assert_int_equal(put(&f, reports, COUNT_OF(reports)).duplicate, 5);
        const struct session_report_filter events = { .uid = SPAN("1000"),
                                                      .session = SPAN(ID_A),
                                                      .events = true };
        check_found(&f, &events, false,
                    "1000 a1 fds.high 11 ended \n1000 a2 fds.low 14 ended \n");
    }
}

static void they_are_found_by_user_name_and_parent(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct session_report reports[] = {
            report("1000", ID_A, "outer", 0, T(10)),
            report("1000", ID_B, "inner", 0, T(12)),
            report("2000", ID_A, "outer", 0, T(11)),
        };
        reports[1].parent = SPAN(ID_A);
        assert_int_equal(put(&f, reports, COUNT_OF(reports)).accepted, 3);
        check_found(&f, &(struct session_report_filter){ .limit = 2 }, true,
                    "1000 b0 inner 12 \n2000 a0 outer 11 \n");
        check_found(&f, &(struct session_report_filter){ .uid = SPAN("1000") }, false,
                    "1000 b0 inner 12 \n1000 a0 outer 10 \n");
        check_found(&f, &(struct session_report_filter){ .name = SPAN("outer") }, false,
                    "2000 a0 outer 11 \n1000 a0 outer 10 \n");
        check_found(&f, &(struct session_report_filter){ .parent = SPAN(ID_A) }, false,
                    "1000 b0 inner 12 \n");
    }
}

static int plan_add(void *arg, int count, char **cells, char **names)
{
    (void)names;
    strbuf_addf(arg, "%s;", cells[count - 1]);
    return 0;
}

/* As records_find_session_reports() reads those of a job. */
static void check_plan(struct fixture *f, const struct ledger_term *terms, size_t count)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf plan = STRBUF_INIT;
    const struct ledger_query query = { .ledger = &ledger_session_reports,
                                        .terms = terms,
                                        .term_count = count,
                                        .order = "heard_ns DESC, start_ns DESC, uid,"
                                                 " session",
                                        .limit = 1000 };
    sqlite3 *db = NULL;
    strbuf_adds(&sql, "EXPLAIN QUERY PLAN ");
    ledger_add_select(&sql, &query);
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, strbuf_text(&sql), plan_add, &plan, NULL) != SQLITE_OK)
        fail_msg("%s: %s", strbuf_text(&sql), sqlite3_errmsg(db));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    if (!strstr(strbuf_text(&plan),
                "session_reports_job (job=? AND uid=? AND sequence=?)"))
        fail_msg("%s", strbuf_text(&plan));
}

static void those_of_a_job_are_read_by_the_job(void **state)
{
    (void)state;
    const struct ledger_term terms[] = {
        { "sequence = @", SCALAR_I64, scalar_i64(0), false },
        { "uid = @", SCALAR_TEXT, scalar_text(SPAN("1000")), false },
        { "cluster = @", SCALAR_TEXT, scalar_text(SPAN("alex")), false },
        { "job = @", SCALAR_TEXT, scalar_text(SPAN("7")), false },
    };
    EACH_ENGINE(f)
    {
        if (strcmp(f.engine, "sqlite") == 0)
            check_plan(&f, terms, COUNT_OF(terms));
        else
            assert_int_equal(
                fixture_number(&f, "SELECT count(*) FROM pg_indexes WHERE schemaname ="
                                   " current_schema() AND indexname ="
                                   " 'session_reports_job'"),
                1);
    }
}

static void what_is_no_report_is_refused(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct session_report reports[] = {
            report("", ID_A, "x", 0, T(10)),
            report("1000", "x", "x", 0, T(10)),
            report("1000", ID_A, "a/b", 0, T(10)),
            report("1000", ID_A, "x", 0, T0_MS * NS_PER_MS + 7200 * NS_PER_S),
            report("1000", ID_A, "x", SESSION_EVENTS_MAX + 1, T(10)),
        };
        assert_int_equal(put(&f, reports, COUNT_OF(reports)).refused, 5);
        check_found(&f, &(struct session_report_filter){ 0 }, false, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_latest_report_holds_and_an_end_stays),
        cmocka_unit_test(an_event_is_stored_once_and_no_other_user_reaches_it),
        cmocka_unit_test(they_are_found_by_user_name_and_parent),
        cmocka_unit_test(those_of_a_job_are_read_by_the_job),
        cmocka_unit_test(what_is_no_report_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
