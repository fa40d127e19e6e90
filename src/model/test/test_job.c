/* SPDX-License-Identifier: Apache-2.0 */
/* test_job - a run of a job, its line of JSON, and what a strict reader refuses. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "model/model.h"

static void a_line_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"id\":\"7\"}\n",
        "{\"cluster\":\"alex\",\"id\":\"5_1\",\"raw_id\":\"7\",\"user\":\"ann\","
        "\"account\":\"phys\",\"partition\":\"batch\",\"state\":\"COMPLETED\","
        "\"submit\":1795227920,\"start\":1795227930.500000000,\"end\":1795227933,"
        "\"node_count\":2,\"nodes\":\"n[1-2]\",\"name\":\"arr|pipe name\"}\n",
        "{\"id\":\"8\",\"user\":\"ann\",\"uid\":1001,\"group\":\"phys\","
        "\"gid\":100,\"account\":\"p\"}\n",
        "{\"id\":\"9\",\"name\":\"\\u0000\\\"\xc3\xbc\"}\n",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        AUTO(arena_done) struct arena arena;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { 0 };
        struct job job;
        arena_init(&arena, 0);
        if (job_line_read(span_of(lines[i]), &arena, &job, &err) < 0)
            fail_msg("%s: %s", lines[i], err.text);
        job_line_print(&job, &out);
        assert_string_equal(strbuf_text(&out), lines[i]);
    }
}

static void what_is_not_told_is_nothing(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    struct job job;
    arena_init(&arena, 0);
    assert_int_equal(job_line_read(SPAN("{\"id\":\"7\"}"), &arena, &job, NULL), 0);
    assert_true(job.start_ns == JOB_TIME_NONE && job.end_ns == JOB_TIME_NONE &&
                job.submit_ns == JOB_TIME_NONE);
    assert_true(span_is(job.raw_id, "7"));
    assert_int_equal(job.cluster.size + job.user.size + job.nodes.size, 0);
}

static void a_line_that_is_another_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *line, *reason;
    } cases[] = {
        { "{\"id\":\"7\"", NULL },
        { "", NULL },
        { "{\"id\":\"7\"} {\"id\":\"8\"}", NULL },
        { "[1]", "it is not an object" },
        { "7", "it is not an object" },
        { "{}", "it has no id" },
        { "{\"id\":\"\"}", "it has no id" },
        { "{\"id\":7}", "'id' is not a text" },
        { "{\"id\":null}", "'id' is not a text" },
        { "{\"id\":[\"7\"]}", "'id' is not a text" },
        { "{\"id\":\"7\",\"id\":\"8\"}", "'id' is given twice" },
        { "{\"id\":\"7\",\"job_name\":\"x\"}", "'job_name' is not a key of a job" },
        { "{\"id\":\"7\",\"start\":\"5\"}", "'start' is not a number" },
        { "{\"id\":\"7\",\"start\":1e9}", "'start' is not a number that fits" },
        { "{\"id\":\"7\",\"start\":99999999999999}",
          "'start' is not a number that fits" },
        { "{\"id\":\"7\",\"start\":0}", "a time of it is before 1970" },
        { "{\"id\":\"7\",\"end\":-5}", "a time of it is before 1970" },
        { "{\"id\":\"7\",\"start\":9,\"end\":8}", "it ends before it starts" },
        { "{\"id\":\"7\",\"node_count\":-1}",
          "'node_count' is not a number that fits" },
        { "{\"id\":\"7\",\"node_count\":99999999999}", "its number of nodes is none" },
        { "{\"id\":\"7\",\"uid\":\"1001\"}", "'uid' is not a number" },
        { "{\"id\":\"7\",\"uid\":-1}", "its uid or gid is not a number of 32 bits" },
        { "{\"id\":\"7\",\"gid\":1e3}", "its uid or gid is not a number of 32 bits" },
        { "{\"id\":\"7\",\"gid\":4294967296}",
          "its uid or gid is not a number of 32 bits" },
        { "{\"id\":\"7\\u0000\"}", "a text of it is not UTF-8" },
        { "{\"id\":\"7\",\"nodes\":\"\\u0000\"}", "a text of it is not UTF-8" },
        { "{\"id\":\"7\",\"user\":\"\xff\"}", NULL },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        struct err err = { 0 };
        struct job job = { .node_count = 42 };
        arena_init(&arena, 0);
        int rc = job_line_read(span_of(cases[i].line), &arena, &job, &err);
        if (rc != -EBADMSG || job.node_count != 42)
            fail_msg("%s: got %d", cases[i].line, rc);
        if (cases[i].reason && strcmp(err.text, cases[i].reason) != 0)
            fail_msg("%s: %s", cases[i].line, err.text);
        assert_true(err.text[0] != '\0');
    }
}

static void words_are_bounded(void **state)
{
    (void)state;
    char word[JOB_WORD_BYTES_MAX + 1];
    memset(word, 'a', sizeof word);
    struct job job = { .id = { word, JOB_WORD_BYTES_MAX },
                       .submit_ns = JOB_TIME_NONE,
                       .start_ns = JOB_TIME_NONE,
                       .end_ns = JOB_TIME_NONE };
    assert_null(job_check(&job));
    job.id.size++;
    assert_string_equal(job_check(&job), "a text of it is too long");
    job.id.size = 1;
    job.name = (struct span){ "\xff\0", 2 }; /* a name is any bytes */
    assert_null(job_check(&job));
    job.user = job.name;
    assert_string_equal(job_check(&job), "a text of it is not UTF-8");
}

static void a_job_is_in_a_window_that_it_touches(void **state)
{
    (void)state;
    static const struct {
        int64_t start_s, end_s;
        double node_seconds; /* within [100 s, 200 s); below 0: it is not in it */
    } cases[] = {
        { 50, 150, 100 },       { 50, 100, -1 },
        { 200, 300, -1 },       { 150, 300, 100 },
        { 120, 130, 20 },       { 50, 300, 200 },
        { 50, INT64_MIN, 200 }, { INT64_MIN, INT64_MIN, -1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int64_t none = INT64_MIN;
        struct job job = {
            .node_count = 2,
            .start_ns =
                cases[i].start_s == none ? JOB_TIME_NONE : cases[i].start_s * NS_PER_S,
            .end_ns =
                cases[i].end_s == none ? JOB_TIME_NONE : cases[i].end_s * NS_PER_S,
        };
        bool is_in = job_overlaps(&job, 100 * NS_PER_S, 200 * NS_PER_S);
        double seconds = job_node_seconds(&job, 100 * NS_PER_S, 200 * NS_PER_S);
        if (is_in != (cases[i].node_seconds >= 0) ||
            (is_in && seconds != cases[i].node_seconds))
            fail_msg("case %zu: %d, %g", i, is_in, seconds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_comes_back_as_it_was),
        cmocka_unit_test(what_is_not_told_is_nothing),
        cmocka_unit_test(a_line_that_is_another_is_refused_with_its_reason),
        cmocka_unit_test(words_are_bounded),
        cmocka_unit_test(a_job_is_in_a_window_that_it_touches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
