/* SPDX-License-Identifier: Apache-2.0 */
/* test_schema - versions, columns, and counters in signed integers. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "records/tables/tables.h"

static void counters_keep_their_bits(void **state)
{
    (void)state;
    static const uint64_t values[] = { 0, 1, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX };
    for (size_t i = 0; i < COUNT_OF(values); i++)
        assert_true(counter_from_db(counter_to_db(values[i])) == values[i]);
}

static void versions_are_read_written_or_refused(void **state)
{
    (void)state;
    static const struct {
        int64_t version;
        int want_write, want_read;
        const char *word;
    } cases[] = {
        { -1, -EBADMSG, -EBADMSG, "newer" },
        { 0, 0, -ENODATA, "no tables" },
        { 1, 0, -EBADMSG, "older than what this program reads" },
        { SCHEMA_VERSION_READABLE - 1, 0, -EBADMSG, "older" },
        { SCHEMA_VERSION_READABLE, 0, 0, "" },
        { SCHEMA_VERSION, 0, 0, "" },
        { SCHEMA_VERSION + 1, -EBADMSG, -EBADMSG, "upgrade" },
        { INT64_MAX, -EBADMSG, -EBADMSG, "newer" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        int write = schema_version_check(cases[i].version, NULL);
        int read = schema_version_check_readable(cases[i].version, &err);
        if (write != cases[i].want_write || read != cases[i].want_read ||
            !strstr(err.text, cases[i].word))
            fail_msg("%lld: %d, %d, '%s'", (long long)cases[i].version, write, read,
                     err.text);
    }
}

static void every_operation_of_a_kind_has_two_columns(void **state)
{
    (void)state;
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
        uint64_t ops = schema_ops((enum target_kind)kind);
        size_t commas = 0;
        schema_add_ops(&sql, (enum target_kind)kind, UINT64_MAX, " T");
        for (size_t i = 0; i < sql.size; i++)
            commas += sql.data[i] == ',';
        assert_int_equal(commas, 2 * (size_t)__builtin_popcountll(ops));
    }
    AUTO(strbuf_done) struct strbuf one = STRBUF_INIT;
    schema_add_ops(&one, TARGET_OST, UINT64_C(1) << OP_WRITE_BYTES, "");
    assert_string_equal(strbuf_text(&one), ", \"write_bytes\", \"write_bytes_sum\"");
    assert_true(schema_ops(TARGET_MDT) & UINT64_C(1) << OP_OPEN);
    assert_false(schema_ops(TARGET_OST) & UINT64_C(1) << OP_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_keep_their_bits),
        cmocka_unit_test(versions_are_read_written_or_refused),
        cmocka_unit_test(every_operation_of_a_kind_has_two_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
