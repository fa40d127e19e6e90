/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_dataset - a dataset of a job as a line. */
#include "base/span.h"
#include "base/test/testing.h"
#include "model/job_dataset.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define REST                                                                           \
    "\"job\":\"1\",\"host\":\"n\",\"name\":\"a:b\",\"path\":\"/x\",\"uid\":1,\"t\":1," \
    "\"private\":false"

static int line_read(const char *text, struct arena *arena, struct job_dataset *ret,
                     struct err *err)
{
    arena_init(arena, 0);
    return job_dataset_read(span_of(text), arena, ret, err);
}

static void a_line_is_printed_and_read(void **state)
{
    const struct job_dataset in = {
        .cluster = SPAN("alex"),
        .job = SPAN("4711"),
        .host = SPAN("n1"),
        .uid = 1000,
        .t_ns = 1700000000500000000,
        .digest = SPAN(DIGEST),
        .name = SPAN("python:3.11"),
        .path = SPAN("/home/eva/\"a b\"\\x0a"),
        .options = SPAN("ro,nosuid,nodev"),
        .command = SPAN("srun --dataset"),
        .is_private = true,
    };
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT, again = STRBUF_INIT;
    AUTO(arena_done) struct arena arena;
    struct job_dataset got;
    struct err err = { 0 };
    (void)state;
    job_dataset_print(&in, &line);
    assert_int_equal(line_read(strbuf_text(&line), &arena, &got, &err), 0);
    job_dataset_print(&got, &again);
    assert_string_equal(strbuf_text(&line), strbuf_text(&again));
    assert_int_equal(got.t_ns, in.t_ns);
    assert_true(got.is_private);
    assert_true(span_eq(got.path, in.path));
}

static void a_line_that_is_none_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{" REST "}",
        "{\"digest\":\"12\"," REST "}",
        "{\"digest\":\"" DIGEST "0\"," REST "}",
        "{\"digest\":\"" DIGEST "\"," REST ",\"uid\":2}",
        "{\"digest\":\"" DIGEST "\"," REST ",\"user\":\"eva\"}",
        "{\"digest\":\"" DIGEST "\"," REST ",\"options\":[]}",
        "{\"digest\":\"" DIGEST "\"," REST ",\"command\":\"a\\u0007\"}",
        "{\"digest\":\"" DIGEST "\",\"job\":\"1\",\"host\":\"n\",\"name\":\"a:b\","
        "\"path\":\"/x\",\"uid\":1,\"t\":1}",
        "{\"digest\":\"" DIGEST "\",\"job\":\"1\",\"host\":\"n\",\"name\":\"a:b\","
        "\"path\":\"x\",\"uid\":1,\"t\":1,\"private\":true}",
        "{\"digest\":\"" DIGEST "\",\"job\":\"1\",\"host\":\"n\",\"name\":\"a:b\","
        "\"path\":\"/x\",\"uid\":-1,\"t\":1,\"private\":true}",
        "{\"digest\":\"" DIGEST "\",\"job\":\"\",\"host\":\"n\",\"name\":\"a:b\","
        "\"path\":\"/x\",\"uid\":1,\"t\":1,\"private\":true}",
    };
    AUTO(arena_done) struct arena arena;
    struct job_dataset got;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(
        line_read("{\"digest\":\"" DIGEST "\"," REST "}", &arena, &got, &err), 0);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        AUTO(arena_done) struct arena other;
        err = (struct err){ 0 };
        assert_int_equal(line_read(bad[i], &other, &got, &err), -EBADMSG);
        assert_true(err.text[0] != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_printed_and_read),
        cmocka_unit_test(a_line_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
