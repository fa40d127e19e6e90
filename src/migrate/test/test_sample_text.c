/* SPDX-License-Identifier: Apache-2.0 */
/* test_sample_text - samples as rows of text. */
#include "migrate/sample_text.h"

#include "base/number.h"
#include "base/span.h"
#include "migrate/test/peer.h"

#include <math.h>

static void a_row_has_the_form_that_is_wanted(void **state)
{
    static const struct {
        const char *path, *metric;
        enum sample_text_form form;
        enum sample_text_times times;
        int64_t t_ns;
        double value;
        const char *want;
    } cases[] = {
        { "c/h", "m", SAMPLE_TEXT_LINE, SAMPLE_TEXT_TIMES_AUTO, 60 * NS_PER_S, 1.25,
          "m,cluster=c,hostname=h value=1.25 60\n" },
        { "c/h/hwthread:7", "m", SAMPLE_TEXT_LINE, SAMPLE_TEXT_TIMES_AUTO, 1, 0.1,
          "m,cluster=c,hostname=h,type=hwthread,type-id=7 value=0.1 1\n" },
        { "c/h/s:0/core:1", "m", SAMPLE_TEXT_LINE, SAMPLE_TEXT_TIMES_S,
          NS_PER_S * 3 / 2, 2.0,
          "m,cluster=c,hostname=h,type=s,type-id=0,stype=core,stype-id=1 value=2 1\n" },
        { "c/h", "m", SAMPLE_TEXT_LINE, SAMPLE_TEXT_TIMES_NS, 60 * NS_PER_S, 1.0,
          "m,cluster=c,hostname=h value=1 60000000000\n" },
        { "c\\x20d/h\\x2Ci", "m n", SAMPLE_TEXT_LINE, SAMPLE_TEXT_TIMES_AUTO, NS_PER_S,
          1.0, "m\\ n,cluster=c\\ d,hostname=h\\,i value=1 1\n" },
        { "c/h", "m,n", SAMPLE_TEXT_CSV, SAMPLE_TEXT_TIMES_AUTO, NS_PER_S / 2, 0.5,
          "c/h,\"m,n\",1970-01-01T00:00:00.500Z,0.5\n" },
        { "c/h", "m", SAMPLE_TEXT_CSV, SAMPLE_TEXT_TIMES_AUTO, 0, -INFINITY,
          "c/h,m,1970-01-01T00:00:00Z,-Inf\n" },
        { "c", "m", SAMPLE_TEXT_CSV, SAMPLE_TEXT_TIMES_AUTO, 0, 5e-324,
          "c,m,1970-01-01T00:00:00Z,5e-324\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(sample_text_done)
        struct sample_text text = { .write = test_collect,
                                    .write_arg = &out,
                                    .form = cases[i].form,
                                    .times = cases[i].times };
        assert_int_equal(
            sample_text_series(&text, span_of(cases[i].path), span_of(cases[i].metric)),
            0);
        assert_int_equal(sample_text_add(&text, cases[i].t_ns, cases[i].value, NULL),
                         0);
        assert_int_equal(sample_text_add(&text, cases[i].t_ns, NAN, NULL), 0);
        assert_int_equal(sample_text_end(&text, NULL), 0);
        assert_string_equal(strbuf_text(&out), cases[i].want);
        assert_int_equal(text.samples, 1);
        assert_int_equal(text.series, 1);
    }
}

static void what_line_protocol_cannot_express_is_counted(void **state)
{
    static const char *const names[][2] = {
        { "c", "m" },        { "c/h", "" },           { "c/h", "#m" },
        { "c/h", "m\n" },    { "c/h", "m\\" },        { "c/h\\x0A", "m" },
        { "c/h\\x5C", "m" }, { "c/h/t:1\\x7F", "m" },
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(sample_text_done)
    struct sample_text text = { .write = test_collect, .write_arg = &out };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (sample_text_series(&text, span_of(names[i][0]), span_of(names[i][1])) !=
            -EINVAL)
            fail_msg("'%s' '%s'", names[i][0], names[i][1]);
    assert_int_equal(text.skipped_series, COUNT_OF(names));
    assert_int_equal(sample_text_series(&text, SPAN("c/h"), SPAN("m")), 0);
    assert_int_equal(sample_text_add(&text, 0, INFINITY, NULL), 0);
    assert_int_equal(text.skipped_values, 1);
    assert_int_equal(text.samples, 0);
    assert_int_equal(sample_text_end(&text, NULL), 0);
    assert_int_equal(out.size, 0);
}

static void csv_begins_with_names(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(sample_text_done)
    struct sample_text text = { .write = test_collect,
                                .write_arg = &out,
                                .form = SAMPLE_TEXT_CSV };
    (void)state;
    sample_text_begin(&text);
    assert_int_equal(sample_text_end(&text, NULL), 0);
    assert_string_equal(strbuf_text(&out), "component,metric,time,value\n");
}

struct full_disk {
    size_t calls, bytes;
};

static int write_to_full_disk(void *arg, struct span lines, struct err *err)
{
    struct full_disk *disk = arg;
    assert_int_equal(lines.data[lines.size - 1], '\n');
    disk->calls++;
    disk->bytes += lines.size;
    return disk->calls > 1 ? err_set(err, ENOSPC, "it is full") : 0;
}

static void lines_are_handed_on_in_pieces_and_an_error_ends_it(void **state)
{
    struct full_disk disk = { 0 };
    AUTO(sample_text_done)
    struct sample_text text = { .write = write_to_full_disk, .write_arg = &disk };
    struct err err = { 0 };
    int rc = 0;
    (void)state;
    assert_int_equal(sample_text_series(&text, SPAN("c/h"), SPAN("m")), 0);
    for (int64_t i = 0; rc == 0 && i < 100000; i++)
        rc = sample_text_add(&text, i * NS_PER_S, 1.0, &err);
    assert_int_equal(rc, -ENOSPC);
    assert_string_equal(err.text, "it is full");
    assert_int_equal(disk.calls, 2);
    assert_in_range(disk.bytes, (size_t)512 << 10, ((size_t)512 << 10) + 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_the_form_that_is_wanted),
        cmocka_unit_test(what_line_protocol_cannot_express_is_counted),
        cmocka_unit_test(csv_begins_with_names),
        cmocka_unit_test(lines_are_handed_on_in_pieces_and_an_error_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
