/* SPDX-License-Identifier: Apache-2.0 */
/* test_reference - where the series of a job are: written and read back. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "client/series/reference.h"

#include <errno.h>
#include <string.h>

static void what_is_printed_is_read_back(void **state)
{
    (void)state;
    struct series_reference_file files[] = {
        { .path = "/lmt/2017-03-20.hdf5" },
        { .path = "/lmt/2017-03-21.hdf5" },
        { .path = "/lmt/\"old\".sqlite3",
          .zone = "America/Los_Angeles",
          .offset_s = -30 },
        { .path = "barod", .fs = "scratch" },
    };
    AUTO(series_reference_done) struct series_reference found = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    for (size_t i = 0; i < COUNT_OF(files); i++)
        files[i].has[LMT_READ_BYTES] = true;
    files[3].has[LMT_OSS_CPU] = true;
    series_reference_print(files, COUNT_OF(files), &out);
    assert_int_equal(series_reference_read(strbuf_span(&out), &found, NULL), 0);
    assert_int_equal(found.count, COUNT_OF(files));
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        const struct series_reference_file *f = &found.files[i];
        assert_string_equal(f->path, files[i].path);
        assert_int_equal(f->offset_s, files[i].offset_s);
        assert_memory_equal(f->has, files[i].has, sizeof f->has);
        assert_int_equal(f->zone != NULL, files[i].zone != NULL);
        assert_int_equal(f->fs != NULL, files[i].fs != NULL);
    }
    assert_string_equal(found.files[2].zone, "America/Los_Angeles");
    assert_string_equal(found.files[3].fs, "scratch");
}

static void files_that_differ_in_their_path_alone_are_together(void **state)
{
    (void)state;
    struct series_reference_file files[] = { { .path = "/a" },
                                             { .path = "/b" },
                                             { .path = "/c", .offset_s = 1 } };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    files[0].has[LMT_READ_BYTES] = files[1].has[LMT_READ_BYTES] = true;
    series_reference_print(files, COUNT_OF(files), &out);
    assert_string_equal(strbuf_text(&out),
                        "[{\"files\":[\"/a\",\"/b\"],"
                        "\"has\":{\"datatargets\":[\"readbytes\"]}},"
                        "{\"files\":[\"/c\"],\"offset_s\":1,\"has\":{}}]");
}

static void none_is_an_empty_list(void **state)
{
    (void)state;
    AUTO(series_reference_done) struct series_reference found = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    series_reference_print(NULL, 0, &out);
    assert_string_equal(strbuf_text(&out), "[]");
    assert_int_equal(series_reference_read(strbuf_span(&out), &found, NULL), 0);
    assert_int_equal(found.count, 0);
}

static void unknown_datasets_and_keys_are_skipped(void **state)
{
    (void)state;
    static const char text[] = "[{\"files\":[\"/a\"],\"later\":\"x\",\"number\":3,"
                               "\"has\":{\"datatargets\":[\"unheard\",\"readbytes\"],"
                               "\"later\":[\"readbytes\"]}}]";
    AUTO(series_reference_done) struct series_reference found = { 0 };
    size_t count = 0;
    assert_int_equal(series_reference_read(span_of(text), &found, NULL), 0);
    assert_int_equal(found.count, 1);
    for (unsigned m = 0; m < LMT_MEASURES; m++)
        count += found.files[0].has[m];
    assert_int_equal(count, 1);
    assert_true(found.files[0].has[LMT_READ_BYTES]);
}

/* A summary may come from another user: nothing in it is trusted. */
static void what_is_no_reference_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{}",
        "3",
        "\"x\"",
        "[3]",
        "[[]]",
        "[{}]",
        "[{\"files\":[]}]",
        "[{\"files\":[\"\"]}]",
        "[{\"files\":[\"/a\\u0000b\"]}]",
        "[{\"files\":[\"/a\"]",
        "[{\"files\":[\"/a\"],\"offset_s\":604801}]",
        "[{\"files\":[\"/a\"],\"offset_s\":-604801}]",
        "[{\"files\":[\"/a\"],\"offset_s\":1.5}]",
        "[{\"files\":[\"/a\"],\"zone\":\"\"}]",
        "[{\"zone\":\"UTC\"}]",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct series_reference found = { .count = 77 };
        struct err err = { 0 };
        if (series_reference_read(span_of(texts[i]), &found, &err) >= 0)
            fail_msg("'%s' is taken", texts[i]);
        if (found.count != 77 || err.text[0] == '\0')
            fail_msg("'%s' changed the output, or has no reason", texts[i]);
    }
}

static void more_files_than_the_limit_are_refused(void **state)
{
    (void)state;
    for (size_t extra = 0; extra < 2; extra++) {
        AUTO(series_reference_done) struct series_reference found = { 0 };
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        strbuf_adds(&text, "[{\"files\":[");
        for (size_t i = 0; i < SERIES_REFERENCE_FILES_MAX + extra; i++)
            strbuf_addf(&text, "%s\"/%zu\"", i ? "," : "", i);
        strbuf_adds(&text, "]}]");
        assert_int_equal(series_reference_read(strbuf_span(&text), &found, NULL),
                         extra ? -EBADMSG : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_read_back),
        cmocka_unit_test(files_that_differ_in_their_path_alone_are_together),
        cmocka_unit_test(none_is_an_empty_list),
        cmocka_unit_test(unknown_datasets_and_keys_are_skipped),
        cmocka_unit_test(what_is_no_reference_is_refused),
        cmocka_unit_test(more_files_than_the_limit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
