/* SPDX-License-Identifier: Apache-2.0 */
/* test_files - lists of jobs out of files and of a barod; what cannot be read of them.
 */
#include "base/number.h"
#include "base/test/scratch.h"
#include "client/job/job.h"
#include "client/job/test/barod.h"

#include <errno.h>
#include <string.h>

static const char *text_write(const char *name, const char *text)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void on_log(void *arg, const char *text)
{
    strbuf_addf(arg, "%s\n", text);
}

static void jobs_print(const struct job_list *list, struct strbuf *out)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct job *j = &list->jobs[i];
        strbuf_addf(
            out, SPAN_FMT " " SPAN_FMT " %lld\n", SPAN_ARG(j->id), SPAN_ARG(j->user),
            j->start_ns == JOB_TIME_NONE ? -1 : (long long)(j->start_ns / NS_PER_S));
    }
}

/* A run of January: it began so many seconds after its local midnight in UTC. */
static void a_list_is_read_in_the_zone_that_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *zone;
        bool is_zone;
        int64_t start_s;
    } cases[] = {
        { "+01:00", true, 1672524000 }, { "-05:30", true, 1672547400 },
        { "Z", true, 1672527600 },      { "UTC", true, 1672527600 },
        { "Nowhere/Atall", false, 0 },  { "+1", false, 0 },
        { "no zone at all", false, 0 },
    };
    const char *path = text_write("local.txt", "JobID|Start|End\n"
                                               "1|2022-12-31T23:00:00|Unknown\n");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
        AUTO(job_list_done) struct job_list list;
        const struct job_files_args args = { .zone = cases[i].zone,
                                             .log = on_log,
                                             .log_arg = &log };
        struct job_files files;
        struct err err = { 0 };
        job_list_init(&list);
        int rc = job_files_init(&files, &args, &err);
        if (rc != (cases[i].is_zone ? 0 : -EINVAL))
            fail_msg("%s: %d", cases[i].zone, rc);
        if (!cases[i].is_zone) {
            assert_non_null(strstr(err.text, "--zone: '"));
            continue;
        }
        assert_int_equal(job_files_read(&files, path, &list, &err), 0);
        assert_int_equal(list.count, 1);
        assert_int_equal(list.jobs[0].start_ns / NS_PER_S, cases[i].start_s);
        assert_non_null(strstr(strbuf_text(&log), "1 times without a zone"));
        assert_non_null(strstr(strbuf_text(&log), cases[i].zone));
    }
}

static void an_option_that_cannot_be_is_named(void **state)
{
    (void)state;
    static const char *map[] = { "id=Job", "colour=red" };
    static const char *many[64];
    static const struct {
        struct job_files_args args;
        int rc;
        const char *reason;
    } cases[] = {
        { { 0 }, 0, "" },
        { { .format = "sacct" }, 0, "" },
        { { .format = "xml" },
          -EINVAL,
          "--format: 'xml' is not one of auto, sacct, csv, pbs-log, json, json-lines" },
        { { .map = { map, 1 } }, 0, "" },
        { { .map = { map, 2 } },
          -EINVAL,
          "--map: 'colour=red' is not FIELD=NAME with a field" },
        { { .map = { many, COUNT_OF(many) } },
          -E2BIG,
          "--map: 'id=Job' is one too many" },
    };
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = "id=Job";
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct job_files files;
        struct err err = { 0 };
        int rc = job_files_init(&files, &cases[i].args, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason))
            fail_msg("%zu: %d: %s", i, rc, err.text);
    }
}

static void a_line_that_is_no_job_is_reported_with_its_place(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf jobs = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
    AUTO(job_list_done) struct job_list list;
    const struct job_files_args args = { .log = on_log, .log_arg = &log };
    struct job_files files;
    const char *path = text_write("jobs.txt", "JobID|User|Start|End|JobName\n"
                                              "1|ann|100|200|a\n"
                                              "2|eve|so\033[31mon|200|b\n"
                                              "3|bob|300|400|c\n");
    job_list_init(&list);
    assert_int_equal(job_files_init(&files, &args, NULL), 0);
    assert_int_equal(job_files_read(&files, path, &list, NULL), 0);
    jobs_print(&list, &jobs);
    assert_string_equal(strbuf_text(&jobs), "1 ann 100\n3 bob 300\n");
    strbuf_addf(
        &want,
        "%s:3: a time is neither 2026-11-21T06:00:00Z nor seconds since 1970 nor "
        "empty: 2|eve|so\\x1B[31mon|200|b\n",
        path);
    assert_string_equal(strbuf_text(&log), strbuf_text(&want));
}

static void without_a_log_faults_are_only_counted(void **state)
{
    (void)state;
    AUTO(job_list_done) struct job_list list;
    const struct job_files_args args = { .format = "sacct" };
    struct job_files files;
    const char *path = text_write("jobs.txt", "JobID|Start|End\n1|x|200\n");
    job_list_init(&list);
    assert_int_equal(job_files_init(&files, &args, NULL), 0);
    assert_int_equal(job_files_read(&files, path, &list, NULL), 0);
    assert_int_equal(list.fault_count, 1);
}

static void a_file_that_is_no_list_is_an_error_with_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
    } cases[] = {
        { "what is this\n", -EINVAL },
        { "JobName|User\nx|ann\n", -EINVAL },
        { "{\"jobs\":[{\"job_id\":1},", -EBADMSG },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_list_done) struct job_list list;
        const struct job_files_args args = { 0 };
        struct job_files files;
        struct err err = { 0 };
        const char *path = text_write("none.txt", cases[i].text);
        job_list_init(&list);
        assert_int_equal(job_files_init(&files, &args, NULL), 0);
        int rc = job_files_read(&files, path, &list, &err);
        if (rc != cases[i].rc || strncmp(err.text, path, strlen(path)) != 0)
            fail_msg("%zu: %d: %s", i, rc, err.text);
    }
    AUTO(job_list_done) struct job_list list;
    struct job_files files = { 0 };
    struct err err = { 0 };
    job_list_init(&list);
    assert_int_equal(job_files_read(&files, "/no/jobs.txt", &list, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/jobs.txt"));
}

/* ---- of a barod ---- */

static int query(const struct job_files_filter *filter, struct job_list *list,
                 struct strbuf *log, struct err *err)
{
    const struct client_endpoint base = { .token_file = "" };
    const struct job_files_args args = { .log = on_log, .log_arg = log };
    struct job_files files;
    assert_int_equal(job_files_init(&files, &args, NULL), 0);
    return job_files_query(&files, barod.url, &base, filter, list, err);
}

static void a_filter_is_the_parameters_of_a_request(void **state)
{
    (void)state;
#define BEGIN "GET /v1/jobs format=lines limit=100000"
    static const struct {
        struct job_files_filter filter;
        const char *want;
    } cases[] = {
        { { .from_ns = JOB_TIME_NONE, .to_ns = JOB_TIME_NONE }, BEGIN "\n" },
        { { .id = "5_1",
            .cluster = "alex",
            .node = "n&1",
            .from_ns = 1500000000 * NS_PER_S,
            .to_ns = 1500000060 * NS_PER_S },
          BEGIN " id=5_1 cluster=alex node=n&1 from=2017-07-14T02:40:00Z "
                "to=2017-07-14T02:41:00Z\n" },
        { { .from_ns = -1, .to_ns = 0 }, BEGIN " to=1970-01-01T00:00:00Z\n" },
    };
#undef BEGIN
    static const struct barod_response none = { NULL, 200, "", false };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_list_done) struct job_list list;
        AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
        struct err err = { 0 };
        job_list_init(&list);
        barod_script(&barod, &none, 1);
        if (query(&cases[i].filter, &list, &log, &err) < 0)
            fail_msg("%zu: %s", i, err.text);
        assert_string_equal(strbuf_text(&barod.requests), cases[i].want);
        assert_int_equal(list.count, 0);
        assert_int_equal(log.size, 0);
    }
}

static void lines_of_a_barod_are_jobs_and_more_of_them_are_reported(void **state)
{
    (void)state;
    static const struct barod_response some = {
        NULL, 200,
        "{\"id\":\"1\",\"user\":\"ann\",\"start\":100}\n{\"id\":\"2\",\"user\":\"b\"}"
        "\n",
        true
    };
    AUTO(job_list_done) struct job_list list;
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf jobs = STRBUF_INIT;
    struct err err = { 0 };
    const struct job_files_filter any = { .from_ns = JOB_TIME_NONE,
                                          .to_ns = JOB_TIME_NONE };
    job_list_init(&list);
    barod_script(&barod, &some, 1);
    if (query(&any, &list, &log, &err) < 0)
        fail_msg("%s", err.text);
    jobs_print(&list, &jobs);
    assert_string_equal(strbuf_text(&jobs), "1 ann 100\n2 b -1\n");
    assert_non_null(strstr(strbuf_text(&log), barod.url));
    assert_non_null(strstr(strbuf_text(&log), "has more runs than one response holds"));
}

static void what_a_barod_cannot_give_is_an_error_with_its_name(void **state)
{
    (void)state;
    static const struct {
        struct barod_response response;
        int rc;
        const char *reason;
    } cases[] = {
        { { NULL, 200, "{\"id\":\"1\"}\n{\"id\":7}\n", true },
          -EBADMSG,
          "'id' is not a text" },
        { { NULL, 200, "\n", false }, -EBADMSG, "" },
        { { NULL, 400, "why", false }, -EBADMSG, "responds with 400: why" },
        { { "GET /other", 200, "", false }, -ENOENT, "not here" },
    };
    const struct job_files_filter any = { .from_ns = JOB_TIME_NONE,
                                          .to_ns = JOB_TIME_NONE };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_list_done) struct job_list list;
        AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
        struct err err = { 0 };
        job_list_init(&list);
        barod_script(&barod, &cases[i].response, 1);
        int rc = query(&any, &list, &log, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason) ||
            strncmp(err.text, barod.url, strlen(barod.url)) != 0)
            fail_msg("%zu: %d: %s", i, rc, err.text);
        assert_int_equal(log.size, 0);
    }
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
        cmocka_unit_test(a_list_is_read_in_the_zone_that_is_named),
        cmocka_unit_test(an_option_that_cannot_be_is_named),
        cmocka_unit_test(a_line_that_is_no_job_is_reported_with_its_place),
        cmocka_unit_test(without_a_log_faults_are_only_counted),
        cmocka_unit_test(a_file_that_is_no_list_is_an_error_with_its_name),
        cmocka_unit_test(a_filter_is_the_parameters_of_a_request),
        cmocka_unit_test(lines_of_a_barod_are_jobs_and_more_of_them_are_reported),
        cmocka_unit_test(what_a_barod_cannot_give_is_an_error_with_its_name),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
