/* SPDX-License-Identifier: Apache-2.0 */
/* test_jobs - jobs and summaries in the database, the same for both engines. */
#include "base/span.h"
#include "records/test/fixture.h"

#include "records/jobs.h"
#include "records/summaries.h"

#include <stdio.h>

/* Run body on an empty database of each engine. */
#define EACH_ENGINE(f)                                                       \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)    \
        for (struct fixture f,                                               \
             *once_ = (fixture_start(&f, fixture_engines[engine_], ""), &f); \
             once_; fixture_stop(once_), once_ = NULL)

#define NOW_S (T0_MS / MS_PER_S)

/* Lines of JSON; @n in them stands for the second n after T0. */
static void put_times(struct strbuf *out, const char *lines)
{
    for (; *lines; lines++) {
        if (*lines != '@') {
            strbuf_addc(out, *lines);
            continue;
        }
        uint64_t second = 0;
        size_t digits = strspn(lines + 1, "0123456789");
        assert_int_equal(number_parse_u64((struct span){ lines + 1, digits }, &second),
                         0);
        strbuf_addf(out, "%lld", (long long)(NOW_S - 100000 + (int64_t)second));
        lines += digits;
    }
}

#define LINES_MAX 64
#define T(n) ((NOW_S - 100000 + (n)) * NS_PER_S) /* what @n stands for */

static struct records_submission put_jobs(struct fixture *f, const char *lines)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct records_submission counts = { 0 };
    struct job jobs[LINES_MAX];
    struct err err = { 0 };
    struct span rest, line;
    size_t count = 0;
    arena_init(&arena, 0);
    put_times(&text, lines);
    rest = strbuf_span(&text);
    while (rest.size > 0 && count < LINES_MAX) {
        (void)span_cut(&rest, '\n', &line);
        if (job_line_read(line, &arena, &jobs[count++], &err) < 0)
            fail_msg(SPAN_FMT ": %s", SPAN_ARG(line), err.text);
    }
    if (records_put_jobs(f->records, jobs, count, T0_MS, &counts, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    return counts;
}

static void check_told(struct records_submission counts, uint64_t taken,
                       uint64_t changed, uint64_t known)
{
    assert_int_equal(counts.accepted, taken);
    assert_int_equal(counts.changed, changed);
    assert_int_equal(counts.duplicate, known);
    assert_int_equal(counts.refused, 0);
}

static int print_job(void *arg, const struct job *job)
{
    struct job shifted = *job;
    const int64_t base_ns = (NOW_S - 100000) * NS_PER_S;
    int64_t *const times[] = { &shifted.submit_ns, &shifted.start_ns, &shifted.end_ns };
    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (*times[i] != JOB_TIME_NONE)
            *times[i] -= base_ns;
    job_line_print(&shifted, arg);
    return 0;
}

static const struct job_filter any_job = { .from_ns = JOB_TIME_NONE,
                                           .to_ns = JOB_TIME_NONE };

static void check_jobs(struct fixture *f, const struct job_filter *filter,
                       const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    bool has_more = false;
    if (records_find_jobs(f->reader, filter, print_job, &text, &has_more, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
    assert_false(has_more);
}

static void a_job_comes_back_as_it_was_told(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        check_told(
            put_jobs(&f, "{\"cluster\":\"alex\",\"id\":\"5_1\",\"raw_id\":\"7\","
                         "\"user\":\"ann\",\"account\":\"phys\",\"partition\":"
                         "\"batch\",\"state\":\"CANCELLED by 0\",\"submit\":@10,"
                         "\"start\":@20.000000001,\"end\":@30,\"node_count\":2,"
                         "\"nodes\":\"n[1-2]\",\"name\":\"a\\u0000\\\\b|\xc3\xbc\"}\n"
                         "{\"id\":\"8\"}\n"),
            2, 0, 0);
        fixture_reopen(&f);
        check_jobs(&f, &any_job,
                   "{\"cluster\":\"alex\",\"id\":\"5_1\",\"raw_id\":\"7\","
                   "\"user\":\"ann\",\"account\":\"phys\",\"partition\":"
                   "\"batch\",\"state\":\"CANCELLED by 0\",\"submit\":10,"
                   "\"start\":20.000000001,\"end\":30,\"node_count\":2,"
                   "\"nodes\":\"n[1-2]\",\"name\":\"a\\u0000\\\\b|\xc3\xbc\"}\n"
                   "{\"id\":\"8\"}\n");
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM jobs WHERE "
                                            "start_time IS NOT NULL AND name LIKE "
                                            "'a%b|%'"),
                         1);
    }
}

static void a_name_may_be_any_bytes(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct records_submission counts;
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        struct job job = { .id = SPAN("1"),
                           .raw_id = SPAN("1"),
                           .name = SPAN("\xff\\x41"),
                           .submit_ns = JOB_TIME_NONE,
                           .start_ns = JOB_TIME_NONE,
                           .end_ns = JOB_TIME_NONE };
        assert_int_equal(records_put_jobs(f.records, &job, 1, T0_MS, &counts, NULL), 0);
        check_jobs(&f, &any_job, "{\"id\":\"1\",\"name\":\"\xef\xbf\xbd\\\\x41\"}\n");
    }
}

static void sending_twice_changes_nothing(void **state)
{
    (void)state;
    static const char lines[] =
        "{\"cluster\":\"c\",\"id\":\"1\",\"start\":@10,\"end\":@20}\n"
        "{\"cluster\":\"d\",\"id\":\"1\",\"start\":@10,\"end\":@20}\n"
        "{\"cluster\":\"c\",\"id\":\"1\",\"start\":@30,\"end\":@40}\n"
        "{\"cluster\":\"c\",\"id\":\"2\",\"submit\":@5}\n";
    EACH_ENGINE(f)
    {
        check_told(put_jobs(&f, lines), 4, 0, 0);
        check_told(put_jobs(&f, lines), 0, 0, 4);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM job_runs"), 4);
    }
}

static void a_run_told_again_takes_its_place_unless_it_lost_its_end(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        check_told(put_jobs(&f, "{\"id\":\"1\",\"start\":@10,\"state\":\"RUNNING\"}\n"),
                   1, 0, 0);
        check_told(put_jobs(&f, "{\"id\":\"1\",\"start\":@10,\"end\":@20}\n"), 0, 1, 0);
        check_told(put_jobs(&f, "{\"id\":\"1\",\"start\":@10,\"state\":\"RUNNING\"}\n"),
                   0, 0, 1);
        check_told(put_jobs(&f, "{\"id\":\"1\",\"start\":@10,\"end\":@20,"
                                "\"state\":\"FAILED\"}\n"),
                   0, 1, 0);
        check_jobs(&f, &any_job,
                   "{\"id\":\"1\",\"state\":\"FAILED\",\"start\":10,\"end\":20}\n");
        /* All of it in one put, and the last one holds. */
        check_told(put_jobs(&f, "{\"id\":\"2\",\"start\":@10}\n"
                                "{\"id\":\"2\",\"start\":@10,\"end\":@20}\n"
                                "{\"id\":\"2\",\"start\":@10}\n"
                                "{\"id\":\"2\",\"start\":@10,\"end\":@21}\n"),
                   1, 2, 1);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM job_runs"), 2);
    }
}

static void what_waited_goes_when_it_has_begun_in_whatever_order(void **state)
{
    (void)state;
    static const char *const orders[] = {
        "{\"id\":\"1\",\"submit\":@5}\n{\"id\":\"1\",\"submit\":@5,\"start\":@10}\n",
        "{\"id\":\"1\",\"submit\":@5,\"start\":@10}\n{\"id\":\"1\",\"submit\":@5}\n",
    };
    for (size_t i = 0; i < COUNT_OF(orders); i++)
        EACH_ENGINE(f)
        {
            check_told(put_jobs(&f, orders[i]), 1, 0, 1);
            check_told(put_jobs(&f, orders[i]), 0, 0, 2);
            check_jobs(&f, &any_job, "{\"id\":\"1\",\"submit\":5,\"start\":10}\n");
            /* It was put back into the queue, and waits again. */
            check_told(put_jobs(&f, "{\"id\":\"1\",\"submit\":@11}\n"), 1, 0, 0);
            check_jobs(&f, &any_job,
                       "{\"id\":\"1\",\"submit\":5,\"start\":10}\n"
                       "{\"id\":\"1\",\"submit\":11}\n");
            check_told(put_jobs(&f, "{\"id\":\"1\",\"submit\":@11,\"start\":@12}\n"), 1,
                       0, 0);
            check_jobs(&f, &any_job,
                       "{\"id\":\"1\",\"submit\":11,\"start\":12}\n"
                       "{\"id\":\"1\",\"submit\":5,\"start\":10}\n");
        }
}

static void jobs_are_found_by_what_is_told_of_them(void **state)
{
    (void)state;
    static const char lines[] =
        "{\"cluster\":\"c\",\"id\":\"5_1\",\"raw_id\":\"7\",\"user\":\"ann\","
        "\"account\":\"phys\",\"state\":\"CANCELLED by 0\",\"start\":@100,"
        "\"end\":@200,\"nodes\":\"n[01-04]\"}\n"
        "{\"cluster\":\"d\",\"id\":\"8\",\"user\":\"bob\",\"account\":\"chem\","
        "\"state\":\"RUNNING\",\"start\":@300,\"nodes\":\"n03\"}\n"
        "{\"cluster\":\"c\",\"id\":\"9\",\"user\":\"ann\",\"state\":\"CANCELLEDX\","
        "\"start\":@150,\"end\":@160,\"nodes\":\"n[oops\"}\n"
        "{\"cluster\":\"c\",\"id\":\"10\",\"state\":\"PENDING\",\"submit\":@9}\n";
    static const struct {
        const char *name;
        struct job_filter filter;
        int from_s, to_s; /* 0: open */
        const char *ids;
    } cases[] = {
        { "all", { .limit = 0 }, 0, 0, "8 9 5_1 10 " },
        { "id", { .id = SPAN("5_1") }, 0, 0, "5_1 " },
        { "raw id", { .id = SPAN("7") }, 0, 0, "5_1 " },
        { "cluster and id", { .id = SPAN("8"), .cluster = SPAN("c") }, 0, 0, "" },
        { "user", { .user = SPAN("ann") }, 0, 0, "9 5_1 " },
        { "account", { .account = SPAN("chem") }, 0, 0, "8 " },
        { "first word of state", { .state = SPAN("CANCELLED") }, 0, 0, "5_1 " },
        { "whole state", { .state = SPAN("CANCELLED by 0") }, 0, 0, "5_1 " },
        { "node", { .node = SPAN("n03") }, 0, 0, "8 5_1 " },
        { "no such node", { .node = SPAN("n3") }, 0, 0, "" },
        { "window", { .limit = 0 }, 160, 300, "5_1 " },
        { "window's edges", { .limit = 0 }, 200, 301, "8 " },
        { "since", { .limit = 0 }, 155, 0, "8 9 5_1 " },
        { "until", { .limit = 0 }, 0, 150, "5_1 " },
        { "node in a window", { .node = SPAN("n03") }, 0, 300, "5_1 " },
        { "no cluster", { .cluster = SPAN("") }, 0, 0, "" },
    };
    EACH_ENGINE(f)
    {
        check_told(put_jobs(&f, lines), 4, 0, 0);
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
            AUTO(strbuf_done) struct strbuf ids = STRBUF_INIT;
            struct job_filter filter = cases[i].filter;
            filter.from_ns = cases[i].from_s ? T(cases[i].from_s) : JOB_TIME_NONE;
            filter.to_ns = cases[i].to_s ? T(cases[i].to_s) : JOB_TIME_NONE;
            assert_int_equal(
                records_find_jobs(f.reader, &filter, print_job, &text, NULL, NULL), 0);
            struct span rest = strbuf_span(&text), line;
            while (rest.size > 0) {
                (void)span_cut(&rest, '\n', &line);
                const char *id = strstr(line.data, "\"id\":\"") + 6;
                strbuf_addf(&ids, "%.*s ", (int)strcspn(id, "\""), id);
            }
            if (strcmp(strbuf_text(&ids), cases[i].ids) != 0)
                fail_msg("%s, %s: '%s'", f.engine, cases[i].name, strbuf_text(&ids));
        }
    }
}

static int count_job(void *arg, const struct job *job)
{
    (void)job;
    ++*(int *)arg;
    return 0;
}

static int refuse_job(void *arg, const struct job *job)
{
    (void)arg, (void)job;
    return -EXDEV;
}

static void a_limit_says_whether_there_were_more(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        (void)put_jobs(&f, "{\"id\":\"1\"}\n{\"id\":\"2\"}\n{\"id\":\"3\"}\n");
        for (size_t limit = 1; limit <= 4; limit++) {
            struct job_filter filter = any_job;
            int count = 0;
            bool has_more = false;
            filter.limit = limit;
            assert_int_equal(records_find_jobs(f.reader, &filter, count_job, &count,
                                               &has_more, NULL),
                             0);
            assert_int_equal(count, limit < 3 ? (int)limit : 3);
            assert_int_equal(has_more, limit < 3);
        }
        assert_int_equal(
            records_find_jobs(f.reader, &any_job, refuse_job, NULL, NULL, NULL),
            -EXDEV);
    }
}

static void what_cannot_be_kept_is_refused_and_costs_only_itself(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct job jobs[14];
        struct records_submission counts = { 0 };
        for (size_t i = 0; i < COUNT_OF(jobs); i++)
            jobs[i] = (struct job){ .id = SPAN("1"),
                                    .submit_ns = JOB_TIME_NONE,
                                    .start_ns = T(10),
                                    .end_ns = JOB_TIME_NONE };
        for (size_t i = 1; i < COUNT_OF(jobs); i++)
            jobs[i].id = SPAN("");
        jobs[1].id = SPAN("a\0b");
        jobs[2].id = SPAN("\xff");
        jobs[3].id = SPAN("3");
        jobs[3].end_ns = T(9);
        jobs[4].id = SPAN("4");
        jobs[4].start_ns = T(100000 + 7200);
        jobs[5].id = SPAN("5");
        jobs[5].start_ns = T(-40 * 86400);
        f.opts.retention_jobs_ns = 30 * DAY_NS;
        fixture_reopen(&f);
        assert_int_equal(
            records_put_jobs(f.records, jobs, COUNT_OF(jobs), T0_MS, &counts, NULL), 0);
        assert_int_equal(counts.accepted, 1);
        assert_int_equal(counts.refused, COUNT_OF(jobs) - 1);
        assert_int_equal(counts.refusal_count, RECORDS_SUBMISSION_REFUSALS_MAX);
        static const char *const reasons[] = {
            "a text of it is not UTF-8",
            "a text of it is not UTF-8",
            "it ends before it starts",
            "a time of it is still to come",
            "it is older than retention_jobs in [records]",
            "it has no id"
        };
        for (size_t i = 0; i < COUNT_OF(reasons); i++) {
            assert_int_equal(counts.refusals[i].index, i + 1);
            assert_string_equal(counts.refusals[i].reason, reasons[i]);
        }
    }
}

/* ---- summaries ---- */

static struct records_submission put_summaries(struct fixture *f, const char *lines)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct records_submission counts = { 0 };
    struct summary summaries[LINES_MAX];
    struct err err = { 0 };
    struct span rest, line;
    size_t count = 0;
    arena_init(&arena, 0);
    put_times(&text, lines);
    rest = strbuf_span(&text);
    while (rest.size > 0 && count < LINES_MAX) {
        (void)span_cut(&rest, '\n', &line);
        if (summary_read_line(line, &arena, &summaries[count++], &err) < 0)
            fail_msg(SPAN_FMT ": %s", SPAN_ARG(line), err.text);
    }
    if (records_put_summaries(f->records, summaries, count, T0_MS, &counts, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    return counts;
}

static int print_summary(void *arg, const struct summary *summary)
{
    summary_print_line(summary, arg);
    return 0;
}

static const struct summary_filter any_summary = { .from_ns = JOB_TIME_NONE,
                                                   .to_ns = JOB_TIME_NONE };

static void check_summaries(struct fixture *f, const struct summary_filter *filter,
                            const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    if (records_find_summaries(f->reader, filter, print_summary, &text, NULL, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
}

static void a_summary_comes_back_with_every_column(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
        strbuf_adds(&line, "{\"_cluster\":\"c\"");
        for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++) {
            strbuf_addf(&line, ",\"%s\":", summary_columns[i].name);
            if (summary_columns[i].type == SCALAR_TEXT)
                strbuf_addf(&line, "\"t%zu\"", i);
            else if (i == SUMMARY_START || i == SUMMARY_END)
                strbuf_addf(&line, "%lld", (long long)NOW_S - 10 + (long long)i);
            else if (summary_columns[i].type == SCALAR_I64)
                strbuf_addf(&line, "%zu", i * 1000000007);
            else
                strbuf_addf(&line, "%zu.125", i);
        }
        strbuf_adds(&line, "}\n");
        check_told(put_summaries(&f, strbuf_text(&line)), 1, 0, 0);
        check_told(put_summaries(&f, strbuf_text(&line)), 0, 0, 1);
        fixture_reopen(&f);
        check_summaries(&f, &any_summary, strbuf_text(&line));
        assert_int_equal(fixture_number(&f, "SELECT fs_timestep FROM job_summaries "
                                            "WHERE start_time IS NOT NULL") %
                             1000000007,
                         0);
    }
}

/* PostgreSQL keeps no index entry over a third of a page, and the whole put would fail;
 * bytes in no order, because those in order are packed. */
static void what_indices_are_made_of_may_be_as_long_as_is_taken(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
        AUTO(arena_done) struct arena arena;
        struct summary summary;
        uint32_t dice = 1;
        arena_init(&arena, 0);
        strbuf_adds(&line, "{\"_jobid\":\"1\",\"_log\":\"a\",\"jobsdb_user\":\"");
        for (size_t i = 0; i < SUMMARY_LOG_BYTES_MAX; i++)
            strbuf_addc(&line, (char)('a' + ((dice = dice * 1664525 + 1) >> 24) % 26));
        strbuf_adds(&line, "\",\"darshan_app\":\"");
        for (size_t i = 0; i < SUMMARY_LOG_BYTES_MAX; i++)
            strbuf_addc(&line, (char)('a' + ((dice = dice * 1664525 + 1) >> 24) % 26));
        strbuf_adds(&line, "\"}\n");
        check_told(put_summaries(&f, strbuf_text(&line)), 1, 0, 0);
        line.size -= strlen("\"}\n");
        strbuf_adds(&line, "x\"}\n");
        assert_int_equal(summary_read_line(strbuf_span(&line), &arena, &summary, NULL),
                         -EBADMSG);
    }
}

static void summaries_are_found_and_take_each_others_place(void **state)
{
    (void)state;
#define A                                                                       \
    "{\"_jobid\":\"1\",\"_file_system\":\"s1\",\"_log\":\"a\",\"darshan_app\":" \
    "\"vpic\"}\n"
#define B                                                                    \
    "{\"_cluster\":\"c\",\"_jobid\":\"2\",\"_file_system\":\"s2\",\"_log\":" \
    "\"b\",\"darshan_app\":\"ior\",\"jobsdb_user\":\"ann\"}\n"
    EACH_ENGINE(f)
    {
        struct summary_filter filter = any_summary;
        check_told(put_summaries(&f, A B), 2, 0, 0);
        check_summaries(&f, &any_summary, A B);
        filter.app = SPAN("ior");
        check_summaries(&f, &filter, B);
        filter = any_summary;
        filter.user = SPAN("ann");
        check_summaries(&f, &filter, B);
        filter = any_summary;
        filter.fs = SPAN("s1");
        check_summaries(&f, &filter, A);
        filter = any_summary;
        filter.job = SPAN("2");
        filter.cluster = SPAN("c");
        check_summaries(&f, &filter, B);
        filter = any_summary;
        filter.from_ns = T(0);
        check_summaries(&f, &filter, A B);
        filter.to_ns = T(1);
        check_summaries(&f, &filter, "");
        check_told(put_summaries(&f, "{\"_jobid\":\"1\",\"_log\":\"a\"}\n"), 0, 1, 0);
        filter = any_summary;
        filter.job = SPAN("1");
        check_summaries(&f, &filter, "{\"_jobid\":\"1\",\"_log\":\"a\"}\n");
    }
}

static void a_database_grows_by_columns_and_keeps_those_of_newer_programs(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        fixture_sql(&f, "DROP VIEW job_summaries;"
                        "ALTER TABLE job_summary_rows DROP COLUMN clocks_corrected;"
                        "ALTER TABLE job_summary_rows DROP COLUMN fs_timestep;"
                        "ALTER TABLE job_summary_rows ADD COLUMN of_tomorrow integer;"
                        "ALTER TABLE job_runs ADD COLUMN of_tomorrow integer");
        fixture_reopen(&f);
        static const char line[] = "{\"_jobid\":\"1\",\"_log\":\"a\",\"fs_timestep\":5,"
                                   "\"clocks_corrected\":\"x\"}\n";
        check_told(put_summaries(&f, line), 1, 0, 0);
        check_told(put_jobs(&f, "{\"id\":\"1\"}\n"), 1, 0, 0);
        check_summaries(&f, &any_summary, line);
        assert_int_equal(fixture_number(&f, "SELECT fs_timestep FROM job_summaries "
                                            "WHERE clocks_corrected = 'x'"),
                         5);
    }
}

static void old_ones_go_by_their_end(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const int64_t late_ms = T0_MS + 9 * MS_PER_DAY;
        f.opts.retention_jobs_ns = 10 * DAY_NS;
        fixture_reopen(&f);
        (void)put_jobs(&f, "{\"id\":\"1\",\"start\":@10,\"end\":@20}\n"
                           "{\"id\":\"2\",\"start\":@10}\n"
                           "{\"id\":\"3\",\"start\":@10,\"end\":@99000}\n"
                           "{\"id\":\"4\",\"submit\":@10}\n");
        (void)put_summaries(&f, "{\"_jobid\":\"1\",\"_log\":\"a\","
                                "\"darshan_end_time\":@20}\n"
                                "{\"_jobid\":\"2\",\"_log\":\"a\"}\n");
        assert_int_equal(records_maintain(f.records, late_ms, NULL), 0);
        check_jobs(&f, &any_job,
                   "{\"id\":\"3\",\"start\":10,\"end\":99000}\n"
                   "{\"id\":\"4\",\"submit\":10}\n");
        check_summaries(&f, &any_summary, "{\"_jobid\":\"2\",\"_log\":\"a\"}\n");
        /* So long after the last telling it is rather the clock. */
        assert_int_equal(records_maintain(f.records, T0_MS + 99 * MS_PER_DAY, NULL),
                         -ERANGE);
        check_jobs(&f, &any_job,
                   "{\"id\":\"3\",\"start\":10,\"end\":99000}\n"
                   "{\"id\":\"4\",\"submit\":10}\n");
    }
}

static void many_at_once_are_one_put(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    static struct job jobs[MANY];
    static char ids[MANY][8];
    EACH_ENGINE(f)
    {
        struct records_submission counts = { 0 };
        for (int i = 0; i < MANY; i++) {
            (void)snprintf(ids[i], sizeof ids[i], "%d", i * 7919 % MANY);
            jobs[i] = (struct job){ .id = span_of(ids[i]),
                                    .submit_ns = JOB_TIME_NONE,
                                    .start_ns = T(i),
                                    .end_ns = T(i + 1) };
        }
        assert_int_equal(records_put_jobs(f.records, jobs, MANY, T0_MS, &counts, NULL),
                         0);
        assert_int_equal(counts.accepted, MANY);
        for (int i = 0; i < MANY; i += 2)
            jobs[i].end_ns += NS_PER_S;
        assert_int_equal(records_put_jobs(f.records, jobs, MANY, T0_MS, &counts, NULL),
                         0);
        assert_int_equal(counts.changed, MANY / 2);
        assert_int_equal(counts.duplicate, MANY / 2);
        assert_int_equal(records_put_jobs(f.records, jobs, RECORDS_JOBS_MAX + 1, T0_MS,
                                          &counts, NULL),
                         -EMSGSIZE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_comes_back_as_it_was_told),
        cmocka_unit_test(a_name_may_be_any_bytes),
        cmocka_unit_test(sending_twice_changes_nothing),
        cmocka_unit_test(a_run_told_again_takes_its_place_unless_it_lost_its_end),
        cmocka_unit_test(what_waited_goes_when_it_has_begun_in_whatever_order),
        cmocka_unit_test(jobs_are_found_by_what_is_told_of_them),
        cmocka_unit_test(a_limit_says_whether_there_were_more),
        cmocka_unit_test(what_cannot_be_kept_is_refused_and_costs_only_itself),
        cmocka_unit_test(a_summary_comes_back_with_every_column),
        cmocka_unit_test(what_indices_are_made_of_may_be_as_long_as_is_taken),
        cmocka_unit_test(summaries_are_found_and_take_each_others_place),
        cmocka_unit_test(a_database_grows_by_columns_and_keeps_those_of_newer_programs),
        cmocka_unit_test(old_ones_go_by_their_end),
        cmocka_unit_test(many_at_once_are_one_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
