/* SPDX-License-Identifier: Apache-2.0 */
/* test_operand - a log or an id: which of them a text is, and what a barod has of it.
 */
#include "base/test/scratch.h"
#include "client/job/job.h"
#include "client/job/test/barod.h"

#include <errno.h>
#include <string.h>

static void file_make(const char *name)
{
    FILE *file = fopen(scratch_path(name), "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static int find_at(const char *url, const char *cluster, const char *text,
                   struct job_operand *ret, struct err *err)
{
    const struct client_endpoint endpoint = { .server = url, .token_file = "" };
    return job_operand_find(&endpoint, cluster, text, ret, err);
}

static int find(const struct barod_response *responses, size_t count,
                const char *cluster, const char *text, struct job_operand *ret,
                struct err *err)
{
    barod_script(&barod, responses, count);
    return find_at(barod.url, cluster, text, ret, err);
}

static void what_is_a_log_by_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_log;
    } cases[] = {
        { "4711", false },
        { "5_1", false },
        { "4711.darshan", true },
        { "runs/4711", true },
        { "/no/such/file", true },
        { "4711.darshan.gz", false },
        { ".", true },
        { "", false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (job_operand_is_log(cases[i].text) != cases[i].is_log)
            fail_msg("'%s'", cases[i].text);
}

static void a_log_is_left_to_be_read(void **state)
{
    (void)state;
    AUTO(job_operand_done) struct job_operand o = { 0 };
    struct err err = { 0 };
    barod_script(&barod, NULL, 0);
    assert_int_equal(find_at(barod.url, NULL, "/no/a.darshan", &o, &err), 0);
    assert_string_equal(o.log, "/no/a.darshan");
    assert_true(o.is_readable);
    assert_false(o.is_stored);
    assert_string_equal(strbuf_text(&barod.requests), "");
    assert_int_equal(job_operand_read(&o, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/a.darshan"));
    assert_string_equal(o.of_log.identity.log, "/no/a.darshan");
}

static void what_is_no_log_is_an_error_that_names_it_once(void **state)
{
    (void)state;
    AUTO(job_operand_done) struct job_operand o = { 0 };
    struct err err = { 0 };
    char path[128];
    (void)snprintf(path, sizeof path, "%s", scratch_path("empty.darshan"));
    file_make("empty.darshan");
    assert_int_equal(find_at(barod.url, NULL, path, &o, &err), 0);
    assert_true(job_operand_read(&o, &err) < 0);
    const char *first = strstr(err.text, path);
    assert_ptr_equal(first, err.text);
    assert_null(strstr(first + 1, path));
}

#define SUMMARY(log) \
    "{\"_cluster\":\"alex\",\"_jobid\":\"4711\",\"_log\":\"" log "\"}\n"

static void an_id_gets_the_summary_that_is_stored(void **state)
{
    (void)state;
    static const struct barod_response two = { "GET /v1/summaries", 200,
                                               SUMMARY("/no/b.darshan")
                                                   SUMMARY("/no/a.darshan"),
                                               false };
    AUTO(job_operand_done) struct job_operand o = { 0 };
    struct err err = { 0 };
    if (find(&two, 1, NULL, "4711", &o, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&barod.requests),
                        "GET /v1/summaries job=4711 limit=1000 format=lines\n");
    assert_true(o.is_stored);
    assert_int_equal(o.summaries_count, 2);
    assert_string_equal(o.log, "/no/b.darshan");
    assert_false(o.is_readable);
    assert_int_equal(o.unreadable_errno, ENOENT);
    assert_string_equal(o.stored.identity.cluster, "alex");
}

static void a_log_that_is_here_is_readable(void **state)
{
    (void)state;
    char line[256];
    file_make("here.darshan");
    (void)snprintf(line, sizeof line, "{\"_jobid\":\"4711\",\"_log\":\"%s\"}\n",
                   scratch_path("here.darshan"));
    const struct barod_response one = { NULL, 200, line, false };
    AUTO(job_operand_done) struct job_operand o = { 0 };
    assert_int_equal(find(&one, 1, "alex", "4711", &o, NULL), 0);
    assert_string_equal(
        strbuf_text(&barod.requests),
        "GET /v1/summaries job=4711 cluster=alex limit=1000 format=lines\n");
    assert_true(o.is_readable);
    assert_int_equal(o.unreadable_errno, 0);
    assert_int_equal(o.summaries_count, 1);
}

#define OF_SUMMARIES(more) "GET /v1/summaries job=" more " limit=1000 format=lines\n"
#define OF_JOBS(more) "GET /v1/jobs id=5_1" more " limit=1000 format=lines\n"

/* Of its own cluster first, then of those without one. */
static void an_element_of_an_array_is_found_by_the_number_of_its_run(void **state)
{
    (void)state;
    static const char run[] =
        "{\"cluster\":\"alex\",\"id\":\"5_1\",\"raw_id\":\"4711\"}\n";
    static const struct barod_response of_none[] = {
        { "job=5_1", 200, "", false },
        { "GET /v1/jobs", 200, run, false },
        { "job=4711 cluster=alex", 200, "", false },
        { "job=4711 cluster= ", 200, SUMMARY("/no/a"), false },
    };
    static const struct barod_response of_its_own[] = {
        { "job=5_1", 200, "", false },
        { "GET /v1/jobs", 200, run, false },
        { "job=4711 cluster=alex", 200, SUMMARY("/no/b"), false },
    };
    static const struct barod_response of_no_cluster[] = {
        { "job=5_1", 200, "", false },
        { "GET /v1/jobs", 200, "{\"id\":\"5_1\",\"raw_id\":\"4711\"}\n", false },
        { "job=4711 cluster= ", 200, SUMMARY("/no/c"), false },
    };
    static const struct barod_response of_another[] = {
        { "job=5_1", 200, "", false },
        { "GET /v1/jobs", 200, run, false },
        { "job=4711 cluster=fritz", 200, SUMMARY("/no/d"), false },
    };
    static const struct {
        const struct barod_response *responses;
        size_t count;
        const char *cluster, *log, *requests;
    } cases[] = {
        { of_none, COUNT_OF(of_none), NULL, "/no/a",
          OF_SUMMARIES("5_1") OF_JOBS("") OF_SUMMARIES("4711 cluster=alex")
              OF_SUMMARIES("4711 cluster=") },
        { of_its_own, COUNT_OF(of_its_own), NULL, "/no/b",
          OF_SUMMARIES("5_1") OF_JOBS("") OF_SUMMARIES("4711 cluster=alex") },
        { of_its_own, COUNT_OF(of_its_own), "alex", "/no/b",
          OF_SUMMARIES("5_1 cluster=alex") OF_JOBS(" cluster=alex")
              OF_SUMMARIES("4711 cluster=alex") },
        { of_another, COUNT_OF(of_another), "fritz", "/no/d",
          OF_SUMMARIES("5_1 cluster=fritz") OF_JOBS(" cluster=fritz")
              OF_SUMMARIES("4711 cluster=fritz") },
        { of_no_cluster, COUNT_OF(of_no_cluster), NULL, "/no/c",
          OF_SUMMARIES("5_1") OF_JOBS("") OF_SUMMARIES("4711 cluster=") },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_operand_done) struct job_operand o = { 0 };
        struct err err = { 0 };
        if (find(cases[i].responses, cases[i].count, cases[i].cluster, "5_1", &o,
                 &err) < 0)
            fail_msg("%zu: %s", i, err.text);
        assert_string_equal(o.log, cases[i].log);
        assert_string_equal(strbuf_text(&barod.requests), cases[i].requests);
    }
}

/* "@" stands for where it was requested. */
static void wanted_print(const char *text, struct strbuf *out)
{
    for (; *text; text++)
        if (*text == '@')
            strbuf_adds(out, barod.url);
        else
            strbuf_addc(out, *text);
}

#define MAKE_ONE                                                                      \
    ", but has no summary of a log of it: 'baro job summarize --server @ LOG' makes " \
    "one; or name the log"
#define NEITHER                                                                        \
    ": neither a summary ('baro job summarize --server') nor a run ('baro job import " \
    "--server')"

static void without_a_summary_the_error_has_what_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *run, *cluster, *want;
    } cases[] = {
        { "", NULL, "'77' is not a file, and @ has no job of that id" NEITHER },
        { "", "alex",
          "'77' is not a file, and @ has no job of that id on cluster alex" NEITHER },
        { "{\"id\":\"77\"}\n", NULL, "job 77: @ knows that it ran" MAKE_ONE },
        { "{\"id\":\"77\",\"user\":\"a\\u001b\",\"start\":1500000000,"
          "\"end\":1500000060}\n",
          NULL,
          "job 77: @ knows that it ran, by a\\x1B, from 2017-07-14T02:40:00Z to "
          "2017-07-14T02:41:00Z" MAKE_ONE },
        { "{\"id\":\"77\",\"raw_id\":\"78\"}\n", NULL,
          "job 77: @ knows that it ran" MAKE_ONE },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct barod_response responses[] = {
            { "GET /v1/summaries", 200, "", false },
            { "GET /v1/jobs", 200, cases[i].run, false },
        };
        AUTO(job_operand_done) struct job_operand o = { 0 };
        AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
        struct err err = { 0 };
        wanted_print(cases[i].want, &want);
        int rc = find(responses, COUNT_OF(responses), cases[i].cluster, "77", &o, &err);
        assert_int_equal(rc, -ENOENT);
        assert_string_equal(err.text, strbuf_text(&want));
        assert_false(o.is_stored);
    }
}

static void what_a_barod_cannot_give_is_an_error(void **state)
{
    (void)state;
    static const struct {
        struct barod_response responses[2];
        size_t count;
        int rc;
        const char *reason;
    } cases[] = {
        { { { NULL, 400, "why", false } },
          1,
          -EBADMSG,
          "'77' is not a file, and of a job of that id: the server responds with 400" },
        { { { NULL, 200, "{\"_jobid\":\"77\"}\n", false } }, 1, -EBADMSG, "server" },
        { { { "/summaries", 200, "", false }, { "/jobs", 200, "none\n", false } },
          2,
          -EBADMSG,
          "server" },
        { { { "/summaries", 200, "", false } }, 1, -ENOENT, "not here" },
        { { { "job=77", 200, "", false },
            { "/jobs", 200, "{\"id\":\"77\",\"raw_id\":\"8\"}\n", false } },
          2,
          -ENOENT,
          "not here" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_operand_done) struct job_operand o = { 0 };
        struct err err = { 0 };
        int rc = find(cases[i].responses, cases[i].count, NULL, "77", &o, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason))
            fail_msg("%zu: %d: %s", i, rc, err.text);
        assert_false(o.is_stored);
    }
    AUTO(job_operand_done) struct job_operand o = { 0 };
    assert_int_equal(find_at("unix:/no/sock", NULL, "77", &o, NULL), -ENOTCONN);
}

/* Jobs run in directories that are called by their ids. */
static void a_directory_called_by_an_id_is_the_id(void **state)
{
    (void)state;
    static const struct barod_response one = { NULL, 200, SUMMARY("/no/a"), false };
    static const struct {
        const char *text;
        bool is_stored;
    } cases[] = {
        { "4711", true },  { "./4711", false }, { "4711.darshan", false },
        { "4712", false }, { ".", false },      { "..", false },
    };
    char before[256];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(mkdir(scratch_path("4711"), 0700), 0);
    assert_int_equal(mkdir(scratch_path("4711.darshan"), 0700), 0);
    file_make("4712");
    assert_int_equal(chdir(scratch), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_operand_done) struct job_operand o = { 0 };
        int rc = find(&one, 1, NULL, cases[i].text, &o, NULL);
        if (rc != 0 || o.is_stored != cases[i].is_stored)
            fail_msg("%s: %d", cases[i].text, rc);
    }
    assert_int_equal(chdir(before), 0);
}

static int begin(void **state)
{
    return scratch_make(state) < 0 ? -1 : barod_begin(state);
}

static int end(void **state)
{
    return barod_end(state) < 0 ? -1 : scratch_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_a_log_by_its_name),
        cmocka_unit_test(a_log_is_left_to_be_read),
        cmocka_unit_test(what_is_no_log_is_an_error_that_names_it_once),
        cmocka_unit_test(an_id_gets_the_summary_that_is_stored),
        cmocka_unit_test(a_log_that_is_here_is_readable),
        cmocka_unit_test(an_element_of_an_array_is_found_by_the_number_of_its_run),
        cmocka_unit_test(without_a_summary_the_error_has_what_is_known),
        cmocka_unit_test(what_a_barod_cannot_give_is_an_error),
        cmocka_unit_test(a_directory_called_by_an_id_is_the_id),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
