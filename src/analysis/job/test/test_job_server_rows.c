/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_server_rows - which rows are requested of a job, and what they become. */
#include "analysis/job/job.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>
#include <string.h>

#define START_MS INT64_C(1500000000000)

/* Rows of a file system of five targets; the job wrote to one of them. */
struct fake {
    int64_t from_ms, to_ms; /* of the summary */
    int rc;                 /* of the summary */
    bool is_wrong;          /* a summary with other columns */
    bool is_quiet;          /* the job did nothing on any target */
    struct strbuf requests;
    int calls;
};

static void summary_fill(const struct fake *fake, struct table *t)
{
    table_add_column(t, "from", fake->is_wrong ? TABLE_TEXT : TABLE_TIME, "");
    table_add_column(t, "to", TABLE_TIME, "");
    table_add_column(t, "fs", TABLE_TEXT, "");
    table_add_row(t);
    if (!fake->is_wrong)
        table_set_i64(t, 0, fake->from_ms);
    table_set_i64(t, 1, fake->to_ms);
    table_set_text(t, 2, SPAN("scratch"));
}

static void flow_set(struct table *t, const char *target, const char *job,
                     uint64_t bytes)
{
    table_add_row(t);
    table_set_text(t, 0, span_of(target));
    table_set_text(t, 1, SPAN("ann"));
    if (job)
        table_set_text(t, 2, span_of(job));
    table_set_u64(t, 3, bytes);
    for (size_t i = 4; i < 7; i++)
        table_set_u64(t, i, 0);
}

static void totals_columns(struct table *t)
{
    table_add_column(t, "target", TABLE_TEXT, "");
    table_add_column(t, "user", TABLE_TEXT, "");
    table_add_column(t, "job", TABLE_TEXT, "");
    for (size_t i = 0; i < job_servers_op_count; i++)
        table_add_column(t, job_servers_ops[i], TABLE_U64, "");
}

static const char *value_of(const struct job_rows_param *params, size_t count,
                            const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(params[i].name, name) == 0)
            return params[i].value;
    return NULL;
}

static int fake_read(void *arg, enum job_rows rows, const struct job_rows_param *params,
                     size_t count, struct table *ret, struct err *err)
{
    static const char *const names[] = { "",
                                         "",
                                         "scratch-OST0002",
                                         "scratch-OST0003",
                                         "scratch-OST0004",
                                         "scratch-OST0005" };
    struct fake *fake = arg;
    const char *target = value_of(params, count, "target");
    fake->calls++;
    strbuf_addf(&fake->requests, "%s", rows == JOB_ROWS_SUMMARY ? "summary" : "totals");
    for (size_t i = 0; i < count; i++)
        if (!strchr("ol", params[i].name[0])) /* not op and limit */
            strbuf_addf(&fake->requests, " %s=%s", params[i].name, params[i].value);
    strbuf_addc(&fake->requests, '\n');
    if (rows == JOB_ROWS_SUMMARY) {
        summary_fill(fake, ret);
        return fake->rc < 0 ? err_set(err, -fake->rc, "no such job") : 0;
    }
    totals_columns(ret);
    if (target) {
        flow_set(ret, "scratch-OST0001", "7", 100);
        flow_set(ret, "scratch-OST0001", "8", 900);
        flow_set(ret, "scratch-OST0002", "7", 10);
    } else if (fake->is_quiet && value_of(params, count, "job")) {
        flow_set(ret, "scratch-OST0001", NULL, 0);
    } else if (value_of(params, count, "job")) {
        flow_set(ret, "scratch-OST0001", NULL, 100);
        flow_set(ret, "scratch-OST0002", NULL, 10);
    } else {
        flow_set(ret, "scratch-OST0001", NULL, 1000);
        for (int i = 2; i < 6; i++)
            flow_set(ret, names[i], NULL, 10);
    }
    return 0;
}

/* Of two targets, in steps of 10 s from 1 s before: one in the first two, one without a
 * number; one in the last; another target and time, which nobody requested. */
static int steps_read(void *arg, enum job_rows rows,
                      const struct job_rows_param *params, size_t count,
                      struct table *ret, struct err *err)
{
    static const struct {
        const char *target;
        int64_t from_s;
        double rates[3];
    } cells[] = {
        { "scratch-OST0001", -1, { 5, 2, 0 } },
        { "scratch-OST0001", 10, { NAN, NAN, NAN } },
        { "scratch-OST0002", 600, { 0, 0, 4 } },
        { "scratch-OST0009", 10, { 1, 1, 1 } },
        { "scratch-OST0002", 700, { 1, 1, 1 } },
    };
    if (!value_of(params, count, "step"))
        return fake_read(arg, rows, params, count, ret, err);
    strbuf_addf(&((struct fake *)arg)->requests, "steps %s %s %s %s\n",
                value_of(params, count, "target"), value_of(params, count, "step"),
                value_of(params, count, "from"), value_of(params, count, "job"));
    table_add_column(ret, "from", TABLE_TIME, "");
    table_add_column(ret, "target", TABLE_TEXT, "");
    table_add_column(ret, "write_bytes_rate", TABLE_DOUBLE, "");
    table_add_column(ret, "read_bytes_rate", TABLE_DOUBLE, "");
    table_add_column(ret, "metadata_rate", TABLE_DOUBLE, "");
    for (size_t i = 0; i < COUNT_OF(cells); i++) {
        table_add_row(ret);
        table_set_i64(ret, 0, START_MS + cells[i].from_s * 1000);
        table_set_text(ret, 1, span_of(cells[i].target));
        for (size_t r = 0; r < 3; r++)
            if (!isnan(cells[i].rates[r]))
                table_set_double(ret, 2 + r, cells[i].rates[r]);
    }
    return 0;
}

static void its_part_over_time_is_read_where_it_is_wanted(void **state)
{
    (void)state;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    struct fake fake = { .from_ms = START_MS - 1000,
                         .to_ms = START_MS + 600000,
                         .requests = STRBUF_INIT };
    const struct job_rows_source source = { &fake, steps_read };
    const struct job_request job = { .id = "7",
                                     .start_s = START_MS / 1000,
                                     .end_s = START_MS / 1000 + 600,
                                     .wants_steps = true };
    assert_int_equal(job_server_rows_read(&source, &job, &s, NULL), 0);
    assert_non_null(strstr(strbuf_text(&fake.requests),
                           "steps scratch-OST0001,scratch-OST0002 11s "
                           "2017-07-14T02:39:59Z 7\n"));
    assert_int_equal(s.steps.columns, 55);
    assert_int_equal(s.steps.from_ms, START_MS - 1000);
    assert_int_equal(s.steps.to_ms, START_MS - 1000 + 55 * 11000);
    assert_int_equal(s.steps.count, 2);
    assert_string_equal(s.steps.rows[1].name, "scratch-OST0002");
    assert_true(s.steps.rows[0].bytes[0] == 7 && isnan(s.steps.rows[0].bytes[1]));
    assert_true(s.steps.rows[0].bytes[2] == 0 && s.steps.rows[0].metadata[0] == 0);
    assert_true(s.steps.rows[1].metadata[54] == 4 && s.steps.rows[1].bytes[54] == 0);
    assert_int_equal(s.steps.left_out, 0);
    strbuf_done(&fake.requests);
}

/* Of days they are whole hours, which are rolled up. */
static void steps_of_days_are_whole_hours(void **state)
{
    (void)state;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    struct fake fake = { .from_ms = START_MS,
                         .to_ms = START_MS + INT64_C(7) * 86400000,
                         .requests = STRBUF_INIT };
    const struct job_rows_source source = { &fake, steps_read };
    const struct job_request job = { .id = "7",
                                     .start_s = START_MS / 1000,
                                     .end_s = START_MS / 1000 + 7 * 86400,
                                     .wants_steps = true };
    assert_int_equal(job_server_rows_read(&source, &job, &s, NULL), 0);
    assert_non_null(
        strstr(strbuf_text(&fake.requests), " 10800s 2017-07-14T02:00:00Z "));
    assert_int_equal(s.steps.columns, 57);
    strbuf_done(&fake.requests);
}

static int rows_read(struct fake *fake, const char *id, struct job_servers *ret,
                     struct err *err)
{
    const struct job_rows_source source = { fake, fake_read };
    const struct job_request job = { .id = id,
                                     .start_s = START_MS / 1000,
                                     .end_s = START_MS / 1000 + 600 };
    strbuf_clear(&fake->requests);
    return job_server_rows_read(&source, &job, ret, err);
}

static void a_job_has_its_targets_and_who_else_was_there(void **state)
{
    (void)state;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    struct fake fake = { .from_ms = START_MS - 1000,
                         .to_ms = START_MS + 600000,
                         .requests = STRBUF_INIT };
    struct err err = { 0 };
    if (rows_read(&fake, "7", &s, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(
        strbuf_text(&fake.requests),
        "summary job=7\n"
        "totals fs=scratch job=7 from=2017-07-14T02:39:59Z to=2017-07-14T02:50:00Z "
        "by=target\n"
        "totals fs=scratch from=2017-07-14T02:39:59Z to=2017-07-14T02:50:00Z "
        "by=target\n"
        "totals fs=scratch target=scratch-OST0001,scratch-OST0002 "
        "from=2017-07-14T02:39:59Z to=2017-07-14T02:50:00Z by=target,job,user\n");
    assert_int_equal(s.from_ms, START_MS - 1000);
    assert_int_equal(s.to_ms, START_MS + 600000);
    assert_string_equal(s.fs, "scratch");
    assert_string_equal(s.user, "ann");
    assert_int_equal(s.target_count, 2);
    assert_true(s.targets[0].is_contended);
    assert_int_equal(s.targets[0].own.written_bytes, 100);
    assert_int_equal(s.targets[0].others.written_bytes, 900);
    assert_int_equal(s.targets[0].neighbour_count, 1); /* the job itself is none */
    assert_string_equal(s.targets[0].neighbours[0].job, "8");
    assert_int_equal(s.targets[1].neighbour_count, 0);
    strbuf_done(&fake.requests);
}

static void a_job_that_did_nothing_has_no_target(void **state)
{
    (void)state;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    struct fake fake = { .from_ms = START_MS,
                         .to_ms = START_MS + 600000,
                         .is_quiet = true,
                         .requests = STRBUF_INIT };
    assert_int_equal(rows_read(&fake, "7", &s, NULL), 0);
    assert_int_equal(s.target_count, 0);
    assert_int_equal(fake.calls, 3); /* of no target its other jobs are requested */
    strbuf_done(&fake.requests);
}

static void rows_of_an_id_of_another_year_are_not_its(void **state)
{
    (void)state;
    static const struct {
        int64_t from_ms, to_ms;
        const char *want; /* the second request; NULL: none */
    } cases[] = {
        { START_MS - 3600000, START_MS + 600000 + 3600000, NULL },
        { START_MS - 3600001, START_MS + 600000, "summary job=7 from=" },
        { START_MS, START_MS + 600000 + 3600001, "summary job=7 from=" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_servers_done) struct job_servers s = { 0 };
        struct fake fake = { .from_ms = cases[i].from_ms,
                             .to_ms = cases[i].to_ms,
                             .requests = STRBUF_INIT };
        assert_int_equal(rows_read(&fake, "7", &s, NULL), 0);
        const char *second = strstr(strbuf_text(&fake.requests), "summary job=7 from=");
        assert_true((second != NULL) == (cases[i].want != NULL));
        if (second)
            assert_non_null(strstr(second, "from=2017-07-14T02:40:00Z "
                                           "to=2017-07-14T03:00:00Z\n"));
        strbuf_done(&fake.requests);
    }
}

static void what_is_no_job_or_not_known_is_none(void **state)
{
    (void)state;
    struct job_servers s = { .from_ms = 17 };
    struct fake fake = { .rc = -ENOENT, .requests = STRBUF_INIT };
    struct err err = { 0 };
    assert_int_equal(rows_read(&fake, NULL, &s, &err), -ENOENT);
    assert_int_equal(rows_read(&fake, "0", &s, &err), -ENOENT);
    assert_int_equal(fake.calls, 0);
    assert_int_equal(rows_read(&fake, "7", &s, &err), -ENOENT);
    assert_string_equal(err.text, "no such job");
    assert_int_equal(s.from_ms, 17);
    strbuf_done(&fake.requests);
}

static void a_summary_with_other_columns_is_refused(void **state)
{
    (void)state;
    struct job_servers s = { 0 };
    struct fake fake = { .is_wrong = true, .requests = STRBUF_INIT };
    struct err err = { 0 };
    assert_int_equal(rows_read(&fake, "7", &s, &err), -EBADMSG);
    strbuf_done(&fake.requests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_has_its_targets_and_who_else_was_there),
        cmocka_unit_test(a_job_that_did_nothing_has_no_target),
        cmocka_unit_test(rows_of_an_id_of_another_year_are_not_its),
        cmocka_unit_test(what_is_no_job_or_not_known_is_none),
        cmocka_unit_test(a_summary_with_other_columns_is_refused),
        cmocka_unit_test(its_part_over_time_is_read_where_it_is_wanted),
        cmocka_unit_test(steps_of_days_are_whole_hours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
