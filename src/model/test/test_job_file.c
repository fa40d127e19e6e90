/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_file - a file of a job as text, and a line of them. */
#include "base/span.h"
#include "base/test/testing.h"
#include "model/job_file.h"

#define RUN "0123456789abcdef0123456789abcdef"

static void one_is_printed_and_read(void **state)
{
    static const char *const good[] = {
        "executable 12 1700000000 - 0badc0de /usr/bin/x",
        "library -1 0 - - /usr/lib/lib with a blank.so",
        "read -1 0 0123456789abcdef - #00ff",
        "written 4096 1 - - /home/eva/a\\x0ab",
        "more 17 0 - - n0001",
        "host -1 0 - - n0001",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct job_file file;
        assert_int_equal(job_file_parse(span_of(good[i]), &file), 0);
        job_file_print(&file, &out);
        assert_string_equal(strbuf_text(&out), good[i]);
    }
}

static void what_is_none_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "executable",
        "executable 1 1 - - ",
        "exe 1 1 - - /x",
        "read -2 1 - - /x",
        "read 1 -1 - - /x",
        "read 1 1 -1 - /x",
        "read 1 1  - /x",
        "read 1 1 -  /x",
        "read 1 1 - XYZ /x",
        "read 1 1 - - a\tb",
        "read 1 1 - "
        "00000000000000000000000000000000000000000000000000000000000000000 /x",
    };
    struct job_file file;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_int_equal(job_file_parse(span_of(bad[i]), &file), -EINVAL);
}

static void a_line_is_printed_and_read(void **state)
{
    const struct job_file files[] = {
        { JOB_FILE_LIBRARY, SPAN("/usr/lib/\"x\".so"), SPAN("ab12"), 5, 6, SPAN("") },
        { JOB_FILE_WRITTEN, SPAN("#12"), SPAN(""), -1, 0, SPAN("7a") },
    };
    const struct job_file_list in = {
        SPAN("alex"), SPAN("4711"),        SPAN("n1"), SPAN(RUN),
        1000,         1700000000500000000, files,      2,
    };
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    AUTO(arena_done) struct arena arena;
    struct job_file_list got;
    struct err err = { 0 };
    (void)state;
    arena_init(&arena, 0);
    job_file_list_print(&in, &line);
    assert_int_equal(
        job_file_list_read(span_trim(strbuf_span(&line)), &arena, &got, &err), 0);
    assert_true(span_is(got.cluster, "alex") && span_is(got.job, "4711"));
    assert_int_equal(got.uid, 1000);
    assert_int_equal(got.t_ns, in.t_ns);
    assert_int_equal(got.count, 2);
    assert_true(span_is(got.files[0].name, "/usr/lib/\"x\".so"));
    assert_true(span_is(got.files[1].name, "#12"));
    assert_true(span_is(got.files[1].version, "7a"));
    assert_true(span_is(got.run, RUN));
}

static void a_line_that_is_none_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"job\":\"1\",\"uid\":1,\"host\":\"n\",\"run\":\"" RUN "\",\"t\":1}",
        "{\"job\":\"1\",\"uid\":-1,\"host\":\"n\",\"run\":\"" RUN
        "\",\"t\":1,\"files\":[]}",
        "{\"job\":\"1\",\"uid\":1,\"uid\":0,\"host\":\"n\",\"run\":\"" RUN
        "\",\"t\":1,\"files\":[]}",
        "{\"job\":\"1\",\"uid\":1,\"host\":\"n\",\"t\":1,\"files\":[]}",
        "{\"job\":\"1\",\"uid\":1,\"host\":\"n\",\"run\":\"12\",\"t\":1,\"files\":[]}",
        "{\"job\":1,\"uid\":1,\"host\":\"n\",\"run\":\"" RUN "\",\"t\":1,\"files\":[]}",
        "{\"job\":\"1\",\"uid\":1,\"host\":\"n\",\"run\":\"" RUN
        "\",\"t\":1,\"files\":{}}",
        "{\"job\":\"1\",\"uid\":1,\"host\":\"n\",\"run\":\"" RUN
        "\",\"t\":1,\"files\":[[]]}",
        "{\"job\":\"1\",\"uid\":1,\"host\":\"n\",\"run\":\"" RUN
        "\",\"t\":1,\"files\":[\"x\"]}",
        "{\"job\":\"1\",\"uid\":1,\"host\":\"n\",\"run\":\"" RUN
        "\",\"t\":1,\"files\":[],\"user\":"
        "\"eva\"}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        AUTO(arena_done) struct arena arena;
        struct job_file_list got;
        struct err err = { 0 };
        arena_init(&arena, 0);
        assert_int_equal(job_file_list_read(span_of(bad[i]), &arena, &got, &err),
                         -EBADMSG);
        assert_true(err.text[0] != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_printed_and_read),
        cmocka_unit_test(what_is_none_is_refused),
        cmocka_unit_test(a_line_is_printed_and_read),
        cmocka_unit_test(a_line_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
