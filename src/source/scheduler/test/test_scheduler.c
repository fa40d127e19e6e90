/* SPDX-License-Identifier: Apache-2.0 */
/* test_scheduler - jobs out of sacct, asked by id, window and node. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "source/scheduler/scheduler.h"

#include <errno.h>
#include <inttypes.h>

static const struct zone utc = { 0 };
static const struct zone east = { .first_ns = INT64_C(3600000000000) };
/* Clocks were an hour ahead until 7,200 s: 02:00 to 03:00 came twice. */
static struct zone_change autumn_changes[] = { { INT64_C(7200000000000), 0 } };
static const struct zone autumn = { INT64_C(3600000000000), autumn_changes, 1 };

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
        const struct job *j = &list->jobs[i];
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

static const struct {
    const char *name, *text, *want;
    struct job_text_opts opts;
} row_cases[] = {
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
    { "a requeued job has run twice; reported again it is the same run",
      HEAD "4|4|REQUEUED|100|200|1|n1|x\n4|4|RUNNING|300|Unknown|1|n2|x\n"
           "4|4|COMPLETED|300|400|1|n2|x\n4|4|REQUEUED|100|200|1|n1|x\n"
           "9|9|PENDING|Unknown|Unknown|1||y\n9|9|RUNNING|500|Unknown|1|n1|y\n",
      "4 4 'x' REQUEUED 100 200 1 n1\n4 4 'x' COMPLETED 300 400 1 n2\n"
      "9 9 'y' RUNNING 500 - 1 n1\n",
      { 0 } },
    { "times in a zone that is named",
      "JobID|Start|End\n1|1970-01-01T01:00:10|1970-01-01T01:00:20\n",
      "1 1 ''  10 20 0 \n",
      { .clock = { &east, NULL } } },
    { "an hour that clocks show twice: a run ends after it starts",
      "JobID|Start|End\n1|1970-01-01T02:50:00|1970-01-01T02:10:00\n"
      "2|1970-01-01T02:10:00|1970-01-01T02:50:00\n",
      "1 1 ''  6600 7800 0 \n2 2 ''  4200 6600 0 \n",
      { .clock = { &autumn, NULL } } },
    { "rows that cannot be",
      "JobID|State|Start|End|NNodes\n1|COMPLETED|1970-01-01T01:00:10|20|1\n"
      "x|COMPLETED|1|2|1\n1|root|1|2|1\n1|FAILED|2|1|1\n1|FAILED|1|2|many\n"
      "1|FAILED|1\n1|FAILED|1|2|3|4\n1|FAILED|soon|2|3\n\n1|FAILED|1|2|3",
      "! 2 a time has no zone: name its zone (of Slurm, or let sacct print "
      "seconds with SLURM_TIME_FORMAT=%s)\n! 3 it begins with no job's id\n"
      "! 4 its state is not one of Slurm's: fields are shifted\n"
      "! 5 it ends before it starts\n! 6 its number of nodes is none\n"
      "! 7 columns are missing\n! 8 there are more fields than columns\n"
      "! 9 a time is neither 2026-11-21T06:00:00Z nor seconds since 1970 nor "
      "empty\n! 11 the line is cut\n",
      { 0 } },
};

static void each_row_is_its_job(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(row_cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(job_list_done) struct job_list list;
        struct job_text_opts opts = row_cases[i].opts;
        struct err err = { 0 };
        opts.on_fault = hear_fault;
        opts.arg = &out;
        job_list_init(&list);
        int rc = job_text_read(span_of(row_cases[i].text), &opts, &list, &err);
        print_jobs(&out, &list);
        if (rc < 0 || strcmp(strbuf_text(&out), row_cases[i].want) != 0)
            fail_msg("%s: %d %s, got\n%s", row_cases[i].name, rc, err.text,
                     strbuf_text(&out));
    }
}

static void what_is_not_sacct_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "hello\n", "JobID|Start\n1|2\n",
                                         "Start|End\n" };
    const struct job_text_opts opts = { 0 };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(job_list_done) struct job_list list;
        struct err err = { 0 };
        job_list_init(&list);
        assert_int_equal(job_text_read(span_of(texts[i]), &opts, &list, &err), -EINVAL);
        assert_true(err.text[0] != '\0');
    }
}

#define S(s) ((s)*NS_PER_S)

static void a_list_is_asked_by_id_window_and_node(void **state)
{
    (void)state;
    AUTO(job_list_done) struct job_list list;
    const struct job_text_opts opts = { 0 };
    struct err err = { 0 };
    struct job_query query = { .from_ns = S(100), .to_ns = S(200) };
    size_t cursor = 0;
    job_list_init(&list);
    assert_int_equal(
        job_text_read(SPAN("JobID|JobIDRaw|Cluster|Start|End|NNodes|NodeList\n"
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
    const struct job *job = job_list_next(&list, &query, &cursor);
    assert_true(job && span_is(job->id, "2_1"));
    assert_null(job_list_next(&list, &query, &cursor));

    assert_true(job_list_find(&list, SPAN(""), SPAN("2")) == job);
    assert_true(job_list_find(&list, SPAN("a"), SPAN("2_1")) == job);
    assert_null(job_list_find(&list, SPAN("b"), SPAN("2_1")));
    assert_int_equal(job_list_find(&list, SPAN("b"), SPAN("3"))->node_count, 8);
    assert_int_equal(job_list_find(&list, SPAN(""), SPAN("3"))->node_count, 4);
    assert_null(job_list_find(&list, SPAN(""), SPAN("7")));
    AUTO(hostset_free) struct hostset *nodes = NULL;
    assert_int_equal(job_nodes(job, &nodes, &err), 0);
    assert_int_equal(hostset_count(nodes), 2);
    job = job_list_find(&list, SPAN("b"), SPAN("3"));
    assert_int_equal(job_nodes(job, &nodes, &err), -ENOENT);
}

#define UTC        \
    {              \
        &utc, NULL \
    }

/* The same three facts in every tongue: who, when, where. */
static const struct {
    const char *name, *text, *want;
    struct sched_clock clock;
} forms[] = {
    { "sacct --json of 22.05",
      "{\"meta\":{\"Slurm\":{\"version\":{\"major\":22}}},\"errors\":[],\"jobs\":["
      "{\"array\":{\"job_id\":5,\"task_id\":1},\"association\":{\"user\":\"x\"},"
      "\"allocation_nodes\":2,\"job_id\":7,\"name\":\"a|\\\"b\\n\",\"nodes\":\"n[1-"
      "2]\","
      "\"state\":{\"current\":\"COMPLETED\",\"reason\":\"None\"},\"time\":{"
      "\"elapsed\":3,"
      "\"end\":103,\"start\":100,\"submission\":90,\"system\":{\"seconds\":1}},"
      "\"steps\":[{\"name\":\"batch\",\"time\":{\"start\":1},\"nodes\":{\"list\":["
      "\"z\"]}}],"
      "\"tres\":{\"allocated\":[{\"name\":\"no\",\"count\":1}]}},"
      "{\"array\":{\"job_id\":0,\"task_id\":null},\"job_id\":8,\"name\":\"r\","
      "\"time\":{\"start\":100,\"end\":0},\"state\":{\"current\":\"RUNNING\"},"
      "\"nodes\":\"n3\",\"kill_request_user\":null}]}",
      "5_1 7 'a|\"b\n' COMPLETED 100 103 2 n[1-2]\n8 8 'r' RUNNING 100 - 1 n3\n",
      { 0 } },
    { "and of later ones: numbers in objects, states in lists",
      "{\"jobs\":[{\"job_id\":7,\"array\":{\"job_id\":5,\"task_id\":{\"set\":true,"
      "\"infinite\":false,\"number\":1}},\"state\":{\"current\":[\"CANCELLED\","
      "\"OUT_OF_MEMORY\"]},\"time\":{\"start\":{\"set\":true,\"infinite\":false,"
      "\"number\":100},\"end\":{\"number\":103,\"set\":true}},\"nodes\":\"n1\"},"
      "{\"job_id\":9,\"array\":{\"job_id\":0,\"task_id\":{\"set\":false,\"number\":"
      "0}},"
      "\"state\":{\"current\":[\"RUNNING\"]},\"time\":{\"start\":100,"
      "\"end\":{\"number\":0,\"set\":false}}}],\"warnings\":[{\"id\":4}]}",
      "5_1 7 '' CANCELLED 100 103 1 n1\n9 9 '' RUNNING 100 - 0 \n",
      { 0 } },
    { "squeue --json tells what is expected: that is no end",
      "{\"jobs\":[{\"job_id\":7,\"job_state\":[\"RUNNING\"],\"start_time\":100,"
      "\"end_time\":{\"set\":true,\"number\":9000},\"node_count\":{\"set\":true,"
      "\"number\":2},\"nodes\":\"n[1-2]\"},{\"job_id\":8,\"job_state\":\"PENDING\","
      "\"start_time\":5000,\"end_time\":9000,\"nodes\":\"\"}]}",
      "7 7 '' RUNNING 100 - 2 n[1-2]\n8 8 '' PENDING - - 0 \n",
      { 0 } },
    { "qstat -f -F json",
      "{\n \"timestamp\":9,\"pbs_server\":\"pbs\",\"Jobs\":{\n"
      "\"12.pbs\":{\"Job_Name\":\"a.sh\",\"Job_Owner\":\"ann@login\",\"job_state\":"
      "\"F\","
      "\"queue\":\"q\",\"ctime\":\"Thu Jan  1 00:01:30 1970\","
      "\"exec_host\":\"n1/0*2+n1/2+n2/0\",\"stime\":\"Thu Jan  1 00:01:40 1970\","
      "\"obittime\":\"Thu Jan  1 00:01:43 1970\",\"Resource_List\":{\"nodect\":2},"
      "\"Variable_List\":{\"name\":\"not\",\"A\":\"b\"}},\n"
      "\"13.pbs\":{\"Job_Name\":\"b\",\"job_state\":\"F\",\"exec_host\":\"n1/0\","
      "\"resources_used\":{\"walltime\":\"00:01:01\"},"
      "\"stime\":\"Thu Jan  1 00:01:40 1970\"},\n"
      "\"14.pbs\":{\"Job_Name\":\"c\",\"job_state\":\"Q\"}}}\n",
      "12.pbs 12.pbs 'a.sh' F 100 103 2 n1,n2\n13.pbs 13.pbs 'b' F 100 161 1 n1\n"
      "14.pbs 14.pbs 'c' Q - - 0 \n",
      UTC },
    { "an accounting log of PBS",
      "01/01/1970 00:00:01;Q;12.pbs;queue=q\n"
      "01/01/1970 00:00:01;S;12.pbs;user=ann group=g jobname=a.sh queue=q ctime=90 "
      "start=100 exec_host=n1/0-7+n2/0-7\n01/01/1970 00:00:01;E;12.pbs;user=ann "
      "account=\"a b=c\" jobname=a.sh queue=q ctime=90 qtime=90 start=100 "
      "exec_host=n1/0-7+n2/0-7 Resource_List.nodect=2 session=1 end=103 "
      "Exit_status=0\n"
      "01/01/1970 00:00:01;S;13.pbs;jobname=r start=100 exec_host=n1/0\n"
      "01/01/1970 00:00:01;A;14.pbs;\nnonsense\n"
      "01/01/1970 00:00:01;S;12.pbs;jobname=a.sh start=100 exec_host=n1/0\n"
      "01/01/1970 00:00:01;E;15.pbs;start=100 end=2",
      "! 6 it is not a record of an accounting log\n! 8 the line is cut\n"
      "12.pbs 12.pbs 'a.sh' FINISHED 100 103 2 n1,n2\n"
      "13.pbs 13.pbs 'r' RUNNING 100 - 1 n1\n",
      { 0 } },
    { "flux jobs --json",
      "{\"jobs\": [{\"t_submit\": 90.5, \"t_run\": 100.25, \"t_cleanup\": 103.75, "
      "\"t_inactive\": 104.5, \"id\": 15032385536, \"name\": \"a\", \"nnodes\": 2, "
      "\"ranks\": \"[4-5]\", \"nodelist\": \"n[4-5]\", \"state\": \"INACTIVE\", "
      "\"username\": \"ann\", \"status\": \"COMPLETED\", \"exception\": "
      "{\"occurred\": false, \"type\": \"\"}}]}",
      "15032385536 15032385536 'a' COMPLETED 100 103 2 n[4-5]\n",
      { 0 } },
    { "flux job list, a line a job",
      "{\"id\":1,\"userid\":3,\"t_submit\":9.0,\"state\":8,\"name\":\"w\","
      "\"nnodes\":1}\n"
      "{\"id\":2,\"t_run\":100.0,\"t_cleanup\":103.0,\"result\":4,\"state\":64,"
      "\"nodelist\":\"n1\",\"name\":\"c\"}\n{\"id\":3,\n\n{\"no\":1}\n",
      "! 3 it is not JSON, or cut\n! 5 it has no id\n1 1 'w' SCHED - - 1 \n"
      "2 2 'c' CANCELED 100 103 1 n1\n",
      { 0 } },
    { "ours, as an array and as one object",
      "[{\"id\":\"a.1\",\"start\":\"1970-01-01T00:01:40Z\",\"end\":103,"
      "\"nodes\":[\"n1\",\"n2\"],\"raw_id\":7},{\"id\":2,\"start\":103,\"end\":100}"
      "]",
      "! 1 it ends before it starts\na.1 7 ''  100 103 2 n1,n2\n",
      { 0 } },
    { "CSV, with quotes that hold line ends",
      "\xEF\xBB\xBFUser,id,Start,end,nodes,comment,name\r\n"
      "ann,12,100,103,\"n1,n2\",x,\"a \"\"b\"\"\nc\"\r\n"
      "ann,13,100\nann,14,100,103,n1,,d,e\nann,15,100,103,\"n1\"x,,d\n"
      ",16,1970-01-01T00:01:40,,n1,,e\nann,17,100,103,n1,,cut",
      "! 4 fields are missing\n! 5 there are more fields than columns\n"
      "! 6 its quotes do not fit\n! 8 the line is cut\n"
      "12 12 'a \"b\"\nc'  100 103 2 n1,n2\n16 16 'e'  100 - 1 n1\n",
      UTC },
    { "with semicolons",
      "id;start;end;nodes\n12;100;103;n[1,2]\n",
      "12 12 ''  100 103 2 n[1,2]\n",
      { 0 } },
};

static void each_form_is_the_same_job(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        for (size_t piece = 1; piece < 8; piece += 3) {
            AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
            AUTO(job_list_done) struct job_list list;
            AUTO(job_text_free) struct job_text *text = NULL;
            const struct job_text_opts opts = { .clock = forms[i].clock,
                                                .on_fault = hear_fault,
                                                .arg = &got };
            struct err err = { 0 };
            size_t size = strlen(forms[i].text);
            int rc = 0;
            job_list_init(&list);
            assert_int_equal(job_text_new(&opts, &list, &text), 0);
            for (size_t at = 0; at < size && rc == 0; at += piece)
                rc = job_text_feed(text, forms[i].text + at,
                                   size - at < piece ? size - at : piece, &err);
            if (rc == 0)
                rc = job_text_finish(text, &err);
            print_jobs(&got, &list);
            if (rc < 0 || strcmp(strbuf_text(&got), forms[i].want) != 0)
                fail_msg("%s, by %zu: %d %s, got\n%s", forms[i].name, piece, rc,
                         err.text, strbuf_text(&got));
        }
}

static void what_is_of_no_form_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int want;
    } cases[] = {
        { "", -EINVAL },
        { "hello\n", -EINVAL },
        { "id,end\n1,2\n", -EINVAL },
        { "{\"jobs\": [{\"id\": 1,", -EBADMSG },
        { "{\"jobs\": [}", -EBADMSG },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_list_done) struct job_list list;
        const struct job_text_opts opts = { 0 };
        struct err err = { 0 };
        job_list_init(&list);
        int rc = job_text_read(span_of(cases[i].text), &opts, &list, &err);
        if (rc != cases[i].want || err.text[0] == '\0')
            fail_msg("%zu: %d %s", i, rc, err.text);
    }
}

static void names_of_the_site_take_the_place_of_ours(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    AUTO(job_list_done) struct job_list list;
    struct job_names names = { 0 };
    const struct job_text_opts opts = { .names = &names };
    struct err err = { 0 };
    job_list_init(&list);
    assert_int_equal(job_names_add(&names, SPAN("id=JobID")), 0);
    assert_int_equal(job_names_add(&names, SPAN("start=begin")), 0);
    assert_int_equal(job_names_add(&names, SPAN("nodes=where.hosts")), 0);
    assert_int_equal(job_names_add(&names, SPAN("nothing=x")), -EINVAL);
    assert_int_equal(job_names_add(&names, SPAN("exec_host=x")), -EINVAL);
    assert_int_equal(job_names_add(&names, SPAN("start")), -EINVAL);
    assert_int_equal(
        job_text_read(SPAN("JobID,begin,start,end\n1,100,7,103\n"), &opts, &list, &err),
        0);
    assert_int_equal(
        job_text_read(SPAN("{\"JobID\":2,\"id\":9,\"begin\":100,\"start\":7,\"where\":"
                           "{\"hosts\":[\"n1\",\"n2\"]},\"nodes\":5}"),
                      &opts, &list, &err),
        0);
    print_jobs(&got, &list);
    assert_string_equal(strbuf_text(&got),
                        "1 1 ''  100 103 0 \n2 2 ''  100 - 2 n1,n2\n");
}

static void a_line_too_long_costs_that_line(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    AUTO(job_list_done) struct job_list list;
    const struct job_text_opts opts = { .on_fault = hear_fault, .arg = &got };
    job_list_init(&list);
    strbuf_adds(&text, "id,start,name\n1,100,\"");
    for (size_t i = 0; i <= JOB_TEXT_LINE_BYTES_MAX; i++)
        strbuf_addc(&text, 'x');
    strbuf_adds(&text, "\n2,100,after\n");
    assert_int_equal(job_text_read(strbuf_span(&text), &opts, &list, NULL), 0);
    print_jobs(&got, &list);
    assert_string_equal(strbuf_text(&got),
                        "! 2 the line is too long\n2 2 'after'  100 - 0 \n");
}

static void a_name_goes_on_in_the_next_line(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    AUTO(job_list_done) struct job_list list;
    const struct job_text_opts opts = { .on_fault = hear_fault, .arg = &got };
    job_list_init(&list);
    assert_int_equal(
        job_text_read(SPAN("JobID|Start|End|JobName\n1|100|103|two\nlines|a\n"
                           "2|100|103|b\n3|1\n4|100|103|c\n"),
                      &opts, &list, NULL),
        0);
    print_jobs(&got, &list);
    assert_string_equal(strbuf_text(&got),
                        "! 5 columns are missing\n"
                        "1 1 'two\nlines|a'  100 103 0 \n"
                        "2 2 'b'  100 103 0 \n4 4 'c'  100 103 0 \n");
}

static void names_come_with_their_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "JobID|User|UID|Group|GID|Start|End\n1|ann|1001|phys|100|1|2\n",
          "1001 phys 100" },
        { "JobID|User|UID|Start|End\n1|ann|unknown|1|2\n", "  " },
        { "{\"jobs\":[{\"job_id\":1,\"start\":1,\"end\":2,\"user_name\":\"ann\","
          "\"user_id\":1001,\"group_name\":\"phys\",\"group_id\":100}]}",
          "1001 phys 100" },
        { "{\"jobs\":[{\"job_id\":1,\"start\":1,\"end\":2,\"user_id\":{\"set\":true,"
          "\"infinite\":false,\"number\":1001},\"group\":\"phys\"}]}",
          "1001 phys " },
        { "job,start,end,uid,gid\n1,1,2,1001,099\n", "1001  " },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(job_list_done) struct job_list list;
        const struct job_text_opts opts = { 0 };
        struct err err = { 0 };
        job_list_init(&list);
        int rc = job_text_read(span_of(cases[i].text), &opts, &list, &err);
        if (rc < 0 || list.count != 1)
            fail_msg("case %zu: %d %s", i, rc, err.text);
        const struct job *job = &list.jobs[0];
        strbuf_addf(&out, SPAN_FMT " " SPAN_FMT " " SPAN_FMT, SPAN_ARG(job->uid),
                    SPAN_ARG(job->group), SPAN_ARG(job->gid));
        assert_string_equal(strbuf_text(&out), cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_its_job),
        cmocka_unit_test(names_come_with_their_numbers),
        cmocka_unit_test(each_form_is_the_same_job),
        cmocka_unit_test(what_is_of_no_form_is_said),
        cmocka_unit_test(names_of_the_site_take_the_place_of_ours),
        cmocka_unit_test(a_line_too_long_costs_that_line),
        cmocka_unit_test(a_name_goes_on_in_the_next_line),
        cmocka_unit_test(what_is_not_sacct_is_refused),
        cmocka_unit_test(a_list_is_asked_by_id_window_and_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
