/* SPDX-License-Identifier: Apache-2.0 */
/* test_stats - the totals of a server. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "source/lustre/lustre.h"

#include <errno.h>
#include <inttypes.h>

static int hear(void *arg, const struct lustre_reading *r)
{
    struct strbuf *out = arg;
    strbuf_addf(out, SPAN_FMT "/" SPAN_FMT "/" SPAN_FMT " %x", SPAN_ARG(r->name),
                SPAN_ARG(r->bucket), SPAN_ARG(r->unit), r->has);
    if (r->has & READING_SAMPLES)
        strbuf_addf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                    r->samples, r->min, r->max, r->sum, r->sumsq);
    if (r->has & READING_READ)
        strbuf_addf(out, " %" PRIu64 " %" PRIu64, r->read, r->write);
    if (r->has & READING_VALUE)
        strbuf_addf(out, " %" PRIu64, r->value);
    if (r->has & READING_TEXT)
        strbuf_addf(out, " " SPAN_FMT, SPAN_ARG(r->text));
    if (r->has & READING_TIME)
        strbuf_addf(out, " %" PRId64, r->t_ns);
    strbuf_addc(out, '\n');
    return 0;
}

static void hear_fault(void *arg, uint64_t line, struct span text)
{
    strbuf_addf(arg, "! %" PRIu64 " " SPAN_FMT "\n", line, SPAN_ARG(text));
}

static void each_form_of_file_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum lustre_file_form form;
        const char *text, *heard;
    } cases[] = {
        { "stats of 1.8", LUSTRE_FILE_STATS,
          "snapshot_time             1284241188.775657 secs.usecs\n"
          "read_bytes                10 samples [bytes] 0 1048576 47\n"
          "get_page                  24 samples [usec] 0 273229 411 232\n"
          "connect                   9671 samples [reqs]\n",
          "snapshot_time//s 200 1284241188775657000\n"
          "read_bytes//bytes f 10 0 1048576 47 0\n"
          "get_page//usec 1f 24 0 273229 411 232\n"
          "connect//reqs 1 9671 0 0 0 0\n" },
        { "stats of 2.15", LUSTRE_FILE_STATS,
          "snapshot_time:            1704923930.736404480 secs.nsecs\n"
          "start_time                1704407718.813190064 secs.nsecs\n"
          "elapsed_time              516211.923214416 secs.nsecs\n"
          "getattr                   2644 samples [usecs] 0 69 31018 655468\n",
          "snapshot_time//s 200 1704923930736404480\n"
          "start_time//s 200 1704407718813190064\n"
          "elapsed_time//s 200 516211923214416\ngetattr//usecs 1f 2644 0 69 31018 "
          "655468\n" },
        { "stats that are none", LUSTRE_FILE_STATS,
          "\nread_bytes 1 samples\nx -1 samples [reqs]\ny 1 samples [reqs] z\nok 1 "
          "samples [r]\n",
          "! 2 read_bytes 1 samples\n! 3 x -1 samples [reqs]\n! 4 y 1 samples [reqs] "
          "z\n"
          "ok//r 1 1 0 0 0 0\n" },
        { "brw_stats", LUSTRE_FILE_BRW,
          "snapshot_time:         1705616007.034259587 (secs.nsecs)\n\n"
          "                           read      |     write\n"
          "pages per bulk r/w     rpcs  % cum % |  rpcs        % cum %\n"
          "1:\t\t       475  94  94   |    0   0   0\n"
          "256:\t\t         0   0 100   | 2400 100 100\n\n"
          "                           read      |     write\n"
          "disk I/O size          ios   % cum % |  ios         % cum %\n"
          "4K:                     3   5 100   |    1   0   0\n"
          "nonsense\n1M: x | 1\n",
          "snapshot_time//s 200 1705616007034259587\n"
          "pages per bulk r/w/1/rpcs 60 475 0\npages per bulk r/w/256/rpcs 60 0 2400\n"
          "disk I/O size/4K/ios 60 3 1\n! 11 nonsense\n! 12 1M: x | 1\n" },
        { "recovery_status", LUSTRE_FILE_FIELDS,
          "status: COMPLETE\nrecovery_duration: 90\ncompleted_clients: "
          "128/128\nnonsense\n",
          "status// 100 COMPLETE\nrecovery_duration// 80 90\n"
          "completed_clients// 100 128/128\n! 4 nonsense\n" },
        { "a number", LUSTRE_FILE_WORD, "4038040\n", "file// 80 4038040\n" },
        { "a word", LUSTRE_FILE_WORD, "NOT HEALTHY\n", "file// 100 NOT HEALTHY\n" },
        { "nothing", LUSTRE_FILE_WORD, "\n", "! 1 \n" },
        { "more than a word", LUSTRE_FILE_WORD, "a\nb\n", "! 1 a\nb\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        const struct lustre_reader reader = { hear, hear_fault, &out };
        assert_int_equal(lustre_read_text(cases[i].form, SPAN("file"),
                                          span_of(cases[i].text), &reader),
                         0);
        if (strcmp(strbuf_text(&out), cases[i].heard) != 0)
            fail_msg("%s:\ngot\n%s\nwant\n%s", cases[i].name, strbuf_text(&out),
                     cases[i].heard);
    }
}

static void health_is_of_the_server_and_of_its_devices(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum lustre_file_form form;
        const char *text, *heard;
    } cases[] = {
        { "a healthy server", LUSTRE_FILE_HEALTH, "healthy\n", "file// 100 healthy\n" },
        { "a server of which two devices are not well", LUSTRE_FILE_HEALTH,
          "device a-OST0012 reported unhealthy\n"
          "device a-OST0014 reported unhealthy\nNOT HEALTHY\n",
          "file/a-OST0012/ 100 unhealthy\nfile/a-OST0014/ 100 unhealthy\n"
          "file// 100 NOT HEALTHY\n" },
        { "health that is cut", LUSTRE_FILE_HEALTH,
          "device\ndevice a\ndevice a reported",
          "! 1 device\n! 2 device a\n! 3 device a reported\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        const struct lustre_reader reader = { hear, hear_fault, &out };
        assert_int_equal(lustre_read_text(cases[i].form, SPAN("file"),
                                          span_of(cases[i].text), &reader),
                         0);
        if (strcmp(strbuf_text(&out), cases[i].heard) != 0)
            fail_msg("%s:\ngot\n%s\nwant\n%s", cases[i].name, strbuf_text(&out),
                     cases[i].heard);
    }
}

static void users_of_a_changelog_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum lustre_file_form form;
        const char *text, *heard;
    } cases[] = {
        { "users of a changelog, of a release without idle times",
          LUSTRE_FILE_CHANGELOG, "current index: 57\nID    index\ncl1   57\ncl3   12\n",
          "current index// 80 57\nindex/cl1/ 80 57\nindex/cl3/ 80 12\n" },
        { "users of a changelog, with them", LUSTRE_FILE_CHANGELOG,
          "current index: 34\nID    index (idle seconds)\ncl1   0 (1725676)\n"
          "cl2   34 (28)",
          "current index// 80 34\nindex/cl1/ 280 0 1725676000000000\n"
          "index/cl2/ 280 34 28000000000\n" },
        { "users of a changelog, with masks and names", LUSTRE_FILE_CHANGELOG,
          "current_index: 9\nID                            index (idle) mask\n"
          "cl1-robin                         8 (3) mask=MARK,CREAT\ncl2  x (3)\n"
          "cl4 7 (soon)\n",
          "current index// 80 9\nindex/cl1-robin/ 280 8 3000000000\n"
          "! 4 cl2  x (3)\n! 5 cl4 7 (soon)\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        const struct lustre_reader reader = { hear, hear_fault, &out };
        assert_int_equal(lustre_read_text(cases[i].form, SPAN("file"),
                                          span_of(cases[i].text), &reader),
                         0);
        if (strcmp(strbuf_text(&out), cases[i].heard) != 0)
            fail_msg("%s:\ngot\n%s\nwant\n%s", cases[i].name, strbuf_text(&out),
                     cases[i].heard);
    }
}

static int stop(void *arg, const struct lustre_reading *r)
{
    (void)r;
    ++*(int *)arg;
    return -ECANCELED;
}

static void the_caller_may_end_the_reading(void **state)
{
    (void)state;
    int calls = 0;
    const struct lustre_reader reader = { stop, NULL, &calls };
    assert_int_equal(lustre_read_text(LUSTRE_FILE_FIELDS, SPAN("f"),
                                      SPAN("bad\na: 1\nb: 2\n"), &reader),
                     -ECANCELED);
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_of_file_is_read),
        cmocka_unit_test(health_is_of_the_server_and_of_its_devices),
        cmocka_unit_test(users_of_a_changelog_are_read),
        cmocka_unit_test(the_caller_may_end_the_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
