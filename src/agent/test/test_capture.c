/* SPDX-License-Identifier: Apache-2.0 */
/* test_capture - files of a capture: their names, their contents, and other words. */
#include "agent/capture/anonymize.h"
#include "agent/capture/capture_file.h"
#include "base/file.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <errno.h>

static void a_name_holds_a_time_and_a_parameter(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int rc;
        int64_t t_ms;
        const char *param;
    } cases[] = {
        { "1669010520000-list.zst", 0, 1669010520000, "list" },
        { "7-obdfilter.s-OST0001.zst", 0, 7, "obdfilter.s-OST0001" },
        { "7-.zst", -EINVAL, 0, "" },
        { "-list.zst", -EINVAL, 0, "" },
        { "x-list.zst", -EINVAL, 0, "" },
        { "7-list", -EINVAL, 0, "" },
        { "7.zst", -EINVAL, 0, "" },
        { "99999999999999999999-list.zst", -EINVAL, 0, "" },
        { "", -EINVAL, 0, "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct capture_file file = { .t_ms = -1 };
        int rc = capture_parse_name(span_of(cases[i].name), &file);
        if (rc != cases[i].rc)
            fail_msg("'%s': %d", cases[i].name, rc);
        assert_int_equal(file.t_ms, rc < 0 ? -1 : cases[i].t_ms);
        if (rc == 0)
            assert_true(span_is(file.param, cases[i].param));
    }
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    struct span dump = SPAN("job_stats:\n- job_id: a\0b\n");
    assert_int_equal(
        capture_write(scratch, "oss01", 5, SPAN("mdt.s-MDT0000"), dump, &err), 0);
    const char *path = scratch_path("oss01/5-mdt.s-MDT0000.zst");
    strbuf_adds(&text, "of before");
    assert_int_equal(capture_read(path, &text, &err), 0);
    assert_true(span_eq(strbuf_span(&text), dump));
}

static void what_is_no_file_of_a_capture_is_named(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct err err = { 0 };
    const char *path = scratch_path("none");
    assert_int_equal(capture_read(path, &text, &err), -ENOENT);
    assert_int_equal(file_replace(path, "no zstd", 7, 0600, &err), 0);
    assert_int_equal(capture_read(path, &text, &err), -EBADMSG);
    assert_non_null(strstr(err.text, path));
    /* Broken off. */
    assert_int_equal(capture_write(scratch, "h", 1, SPAN("list"),
                                   SPAN("0123456789012345678901234567890"), &err),
                     0);
    path = scratch_path("h/1-list.zst");
    assert_int_equal(file_read(path, 4096, &bytes, &err), 0);
    assert_int_equal(file_replace(path, bytes.data, bytes.size - 4, 0600, &err), 0);
    assert_int_equal(capture_read(path, &text, &err), -EBADMSG);
}

static void a_capture_keeps_its_uuid(void **state)
{
    (void)state;
    const char *dir = scratch_path("new/one"), *path = scratch_path("new/one/uuid");
    struct uuid first, again;
    struct err err = { 0 };
    assert_int_equal(capture_uuid(dir, &first, &err), 0);
    assert_int_equal(capture_uuid(dir, &again, &err), 0);
    assert_memory_equal(&first, &again, sizeof first);
    assert_int_equal(file_replace(path, "none\n", 5, 0600, &err), 0);
    assert_int_equal(capture_uuid(dir, &again, &err), -EBADMSG);
    assert_memory_equal(&first, &again, sizeof first);
}

static void anonymize(const char *text, uint64_t key, struct strbuf *out)
{
    strbuf_clear(out);
    capture_anonymize(span_of(text), key, out);
    assert_int_equal(strbuf_error(out), 0);
}

static void names_change_and_forms_stay(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    const char *text = "job_stats:\n"
                       "- job_id:          12345:anna@r01c01\\x2fB\n"
                       "  snapshot_time:   1669010520\n"
                       "- job_id:          12345:anna@r01c01\\x2fB\n";
    anonymize(text, 7, &out);
    anonymize(text, 7, &again);
    assert_string_equal(strbuf_text(&out), strbuf_text(&again));
    assert_int_equal(out.size, strlen(text));
    assert_null(strstr(out.data, "anna"));
    assert_null(strstr(out.data, "12345"));
    assert_non_null(strstr(out.data, "snapshot_time:   1669010520\n"));
    for (size_t i = 0; i < out.size; i++) {
        char was = text[i], is = out.data[i];
        bool is_digit = was >= '0' && was <= '9';
        assert_int_equal(is >= '0' && is <= '9', is_digit);
        if (strchr(":@\\-\n ", was))
            assert_int_equal(is, was);
    }
    assert_non_null(strstr(out.data, "\\x2f"));
    anonymize(text, 8, &again);
    assert_string_not_equal(strbuf_text(&out), strbuf_text(&again));
}

static void a_piece_of_an_identifier_on_a_line_of_its_own_changes_too(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    anonymize("- job_id:  a\nsecret\n\n  open: { samples: 1 }\nlast", 1, &out);
    assert_null(strstr(strbuf_text(&out), "secret"));
    assert_null(strstr(strbuf_text(&out), "last"));
    assert_non_null(strstr(strbuf_text(&out), "\n\n  open: { samples: 1 }\n"));
    assert_int_equal(out.size, 48);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_holds_a_time_and_a_parameter),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_no_file_of_a_capture_is_named),
        cmocka_unit_test(a_capture_keeps_its_uuid),
        cmocka_unit_test(names_change_and_forms_stay),
        cmocka_unit_test(a_piece_of_an_identifier_on_a_line_of_its_own_changes_too),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
