/* SPDX-License-Identifier: Apache-2.0 */
/* test_sacct_comment - which jobs of sacct's output have an AdminComment. */
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "source/scheduler/sacct_comment.h"

static int job_print(void *arg, const struct sacct_comment *job)
{
    strbuf_addf(arg, SPAN_FMT " " SPAN_FMT " " SPAN_FMT " %lld [" SPAN_FMT "]\n",
                SPAN_ARG(job->id), SPAN_ARG(job->raw_id), SPAN_ARG(job->cluster),
                (long long)job->start_s, SPAN_ARG(job->comment));
    return 0;
}

static void text_is(const char *text, const char *want, uint64_t unreadable)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    uint64_t count = 0;
    int rc = sacct_comments_read(span_of(text), job_print, &out, &count, &err);
    if (rc < 0)
        fail_msg("%s: %s", text, err.text);
    assert_string_equal(strbuf_text(&out), want);
    assert_int_equal(count, unreadable);
}

static void jobs_that_ended_have_a_comment_or_none(void **state)
{
    (void)state;
    text_is("JobID|JobIDRaw|Cluster|Start|End|AdminComment|JobName\n"
            "1|1|alex|1795459016|1795459999||wrap\n"
            "1.batch|1.batch|alex|1795459016|1795459999||batch\n"
            "2_1|4|alex|1795459016|1795459999|JS1:Short|a|b\n"
            "3|3|alex|1795459016|Unknown||two\n"
            "lines|and|more\n"
            "5|5|alex|Unknown|1795459999||never began\n"
            "6|6|alex|2026-11-23T18:36:56|2026-11-23T19:36:56||\n",
            "1 1 alex 1795459016 []\n2_1 4 alex 1795459016 [JS1:Short]\n"
            "6 6 alex -1 []\n",
            0);
}

static void columns_come_in_any_order(void **state)
{
    (void)state;
    text_is("AdminComment;End;Start;JobID\nx y;20;10;7\n;20;10;8_2\n\nno row\n;;;\n",
            "7 7  10 [x y]\n8_2 8_2  10 []\n", 3);
}

static void a_header_without_a_column_is_refused(void **state)
{
    static const char *const headers[] = { "", "JobID|Start|End", "JobID|AdminComment",
                                           "Start|End|AdminComment\n1|2|3" };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(headers); i++) {
        struct err err = { 0 };
        uint64_t count = 0;
        assert_int_equal(
            sacct_comments_read(span_of(headers[i]), job_print, NULL, &count, &err),
            -EINVAL);
        assert_non_null(strstr(err.text, "names no column"));
    }
}

static int job_refuse(void *arg, const struct sacct_comment *job)
{
    (void)arg, (void)job;
    return -ENOTCONN;
}

static void a_callback_ends_the_reading(void **state)
{
    (void)state;
    uint64_t count = 0;
    assert_int_equal(sacct_comments_read(SPAN("JobID|Start|End|AdminComment\n1|2|3|\n"),
                                         job_refuse, NULL, &count, NULL),
                     -ENOTCONN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_that_ended_have_a_comment_or_none),
        cmocka_unit_test(columns_come_in_any_order),
        cmocka_unit_test(a_header_without_a_column_is_refused),
        cmocka_unit_test(a_callback_ends_the_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
