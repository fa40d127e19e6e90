/* SPDX-License-Identifier: Apache-2.0 */
/* test_scheduler - jobs out of sacct, asked by id, window and node. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "source/scheduler/scheduler.h"

#include <errno.h>
#include <inttypes.h>

static void hear_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    (void)text;
    strbuf_addf(arg, "! %" PRIu64 " %s\n", line, reason);
}

static void print_time(struct strbuf *out, int64_t t_ns)
{
    if (t_ns == JOB_TIME_NONE)
        strbuf_adds(out, " -");
    else
        strbuf_addf(out, " %" PRId64, t_ns / NS_PER_S);
}

static void print_jobs(struct strbuf *out, const struct job_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct sched_job *j = &list->jobs[i];
        strbuf_addf(out, SPAN_FMT " " SPAN_FMT " '" SPAN_FMT "' " SPAN_FMT,
                    SPAN_ARG(j->id), SPAN_ARG(j->raw_id), SPAN_ARG(j->name),
                    SPAN_ARG(j->state));
        print_time(out, j->start_ns);
        print_time(out, j->end_ns);
        strbuf_addf(out, " %" PRIu64 " " SPAN_FMT "\n", j->node_count,
                    SPAN_ARG(j->nodes));
    }
}

#define HEAD "JobID|JobIDRaw|State|Start|End|NNodes|NodeList|JobName\n"

static void each_row_is_its_job(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *want;
        struct sacct_opts opts;
    } cases[] = {
        { "names hold the delimiter, at the end",
          HEAD "5_1|7|COMPLETED|100|103|2|n[1-2]|a|b|c\n"
               "5_2|8|CANCELLED by 0|100|200|1|n1|\n",
          "5_1 7 'a|b|c' COMPLETED 100 103 2 n[1-2]\n"
          "5_2 8 '' CANCELLED by 0 100 200 1 n1\n",
          { 0 } },
        { "and in the middle",
          "JobIDRaw|JobName|User|State|Start|End|NodeList\n"
          "7|arr|pipe name|root|RUNNING|100|Unknown|n1\n"
          "8|plain|root|PENDING|Unknown|Unknown|None assigned\n",
          "7 7 'arr|pipe name' RUNNING 100 - 0 n1\n8 8 'plain' PENDING - - 0 \n",
          { 0 } },
        { "sacct -p, with another delimiter",
          "JobID;Start;End;JobName;\n1;100;200;a;b;\n2;100;200;c\n",
          "! 3 the end of the row is missing\n1 1 'a;b'  100 200 0 \n",
          { 0 } },
        { "steps are within their job; without it they stand for it",
          HEAD "4|4|COMPLETED|100|200|4|n[1-4]|x\n"
               "4.batch|4.batch|COMPLETED|90|201|1|n1|batch\n"
               "6.extern|6.extern|COMPLETED|101|199|1|n5|extern\n"
               "6.0|6.0|COMPLETED|120|205|2|n[5-6]|a.out\n"
               "6.1|6.1|COMPLETED|99|150|1|n5|a.out\n",
          "4 4 'x' COMPLETED 100 200 4 n[1-4]\n6 6 '' COMPLETED 99 205 2 n[5-6]\n",
          { 0 } },
        { "a requeued job has run twice; told again it is the same run",
          HEAD "4|4|REQUEUED|100|200|1|n1|x\n4|4|RUNNING|300|Unknown|1|n2|x\n"
               "4|4|COMPLETED|300|400|1|n2|x\n4|4|REQUEUED|100|200|1|n1|x\n"
               "9|9|PENDING|Unknown|Unknown|1||y\n9|9|RUNNING|500|Unknown|1|n1|y\n",
          "4 4 'x' REQUEUED 100 200 1 n1\n4 4 'x' COMPLETED 300 400 1 n2\n"
          "9 9 'y' RUNNING 500 - 1 n1\n",
          { 0 } },
        { "times in a zone that is named",
          "JobID|Start|End\n1|1970-01-01T01:00:10|1970-01-01T01:00:20\n",
          "1 1 ''  10 20 0 \n",
          { .has_zone = true, .zone_east_s = 3600 } },
        { "rows that cannot be",
          "JobID|State|Start|End|NNodes\n1|COMPLETED|1970-01-01T01:00:10|20|1\n"
          "x|COMPLETED|1|2|1\n1|root|1|2|1\n1|FAILED|2|1|1\n1|FAILED|1|2|many\n"
          "1|FAILED|1\n1|FAILED|1|2|3|4\n1|FAILED|soon|2|3\n\n1|FAILED|1|2|3",
          "! 2 a time has no zone (run sacct with SLURM_TIME_FORMAT=%s, or name its "
          "zone)\n! 3 it begins with no job's id\n"
          "! 4 its state is none of Slurm's: fields are shifted\n"
          "! 5 it ends before it starts\n! 6 its number of nodes is none\n"
          "! 7 columns are missing\n! 8 there are more fields than columns\n"
          "! 9 a time is none\n! 11 the line is cut\n",
          { 0 } },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(job_list_done) struct job_list list;
        struct sacct_opts opts = cases[i].opts;
        struct err err = { 0 };
        opts.on_fault = hear_fault;
        opts.arg = &out;
        job_list_init(&list);
        int rc = sacct_read(span_of(cases[i].text), &opts, &list, &err);
        print_jobs(&out, &list);
        if (rc < 0 || strcmp(strbuf_text(&out), cases[i].want) != 0)
            fail_msg("%s: %d %s, got\n%s", cases[i].name, rc, err.text,
                     strbuf_text(&out));
    }
}

static void what_is_not_sacct_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "hello\n", "JobID|Start\n1|2\n",
                                         "Start|End\n" };
    const struct sacct_opts opts = { 0 };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(job_list_done) struct job_list list;
        struct err err = { 0 };
        job_list_init(&list);
        assert_int_equal(sacct_read(span_of(texts[i]), &opts, &list, &err), -EINVAL);
        assert_true(err.text[0] != '\0');
    }
}

#define S(s) ((s)*NS_PER_S)

static void a_list_is_asked_by_id_window_and_node(void **state)
{
    (void)state;
    AUTO(job_list_done) struct job_list list;
    const struct sacct_opts opts = { 0 };
    struct err err = { 0 };
    struct job_query query = { .from_ns = S(100), .to_ns = S(200) };
    size_t cursor = 0;
    job_list_init(&list);
    assert_int_equal(
        sacct_read(SPAN("JobID|JobIDRaw|Cluster|Start|End|NNodes|NodeList\n"
                        "1|1|a|50|100|1|n1\n" /* ends as it begins */
                        "2_1|2|a|50|150|2|n[1-2]\n"
                        "3|3|a|150|Unknown|4|n[3-6]\n"
                        "4|4|a|200|300|1|n1\n" /* begins as it ends */
                        "3|3|b|120|130|8|\n"
                        "5|5|a|Unknown|Unknown|1|\n"
                        "6|6|b|110|120||\n"),
                   &opts, &list, &err),
        0);
    struct job_load load = job_list_load(&list, &query);
    assert_int_equal(load.jobs, 4);
    assert_int_equal(load.nodes, 14);
    assert_int_equal(load.uncounted, 1);
    assert_true(load.node_seconds == 50 * 2 + 50 * 4 + 10 * 8);
    query.cluster = SPAN("b");
    assert_int_equal(job_list_load(&list, &query).jobs, 2);
    query.cluster = SPAN("");
    query.node = SPAN("n2");
    const struct sched_job *job = job_list_next(&list, &query, &cursor);
    assert_true(job && span_is(job->id, "2_1"));
    assert_null(job_list_next(&list, &query, &cursor));

    assert_true(job_list_find(&list, SPAN(""), SPAN("2")) == job);
    assert_true(job_list_find(&list, SPAN("a"), SPAN("2_1")) == job);
    assert_null(job_list_find(&list, SPAN("b"), SPAN("2_1")));
    assert_int_equal(job_list_find(&list, SPAN("b"), SPAN("3"))->node_count, 8);
    assert_int_equal(job_list_find(&list, SPAN(""), SPAN("3"))->node_count, 4);
    assert_null(job_list_find(&list, SPAN(""), SPAN("7")));
    AUTO(hostset_free) struct hostset *nodes = NULL;
    assert_int_equal(sched_job_nodes(job, &nodes, &err), 0);
    assert_int_equal(hostset_count(nodes), 2);
    job = job_list_find(&list, SPAN("b"), SPAN("3"));
    assert_int_equal(sched_job_nodes(job, &nodes, &err), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_its_job),
        cmocka_unit_test(what_is_not_sacct_is_refused),
        cmocka_unit_test(a_list_is_asked_by_id_window_and_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
