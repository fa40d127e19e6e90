/* SPDX-License-Identifier: Apache-2.0 */
/* test_record - what was drained by us is there after a kill, and one program has it.
 */
#include "act/record.h"
#include "base/span.h"
#include "base/test/testing.h"

static void open_record(const char *directory, struct act_record **ret)
{
    struct err err = { 0 };
    if (act_record_open(directory, ret, &err) < 0)
        fail_msg("%s", err.text);
}

static void what_is_saved_is_there_again(void **state)
{
    (void)state;
    char directory[] = "/tmp/baro-act-XXXXXX";
    enum act_record_state held;
    const char *reason;
    assert_non_null(mkdtemp(directory));
    {
        AUTO(act_record_close) struct act_record *record = NULL;
        open_record(directory, &record);
        assert_int_equal(act_record_set(record, "a1", ACT_BEGUN, "r 1"), 0);
        assert_int_equal(act_record_set(record, "a1", ACT_DRAINED, "r 1"), 0);
        assert_int_equal(act_record_set(record, "a2", ACT_OVERRULED, "r 2"), 0);
        assert_int_equal(act_record_set(record, "a3", ACT_DRAINED, "r 3"), 0);
        assert_int_equal(act_record_set(record, "a3", ACT_NOTHING, ""), 0);
        assert_int_equal(act_record_save(record, NULL), 0);
        assert_int_equal(act_record_set(record, "a4", ACT_DRAINED, "not saved"), 0);
    }
    AUTO(act_record_close) struct act_record *record = NULL;
    open_record(directory, &record);
    assert_int_equal(act_record_count(record), 2);
    assert_true(act_record_find(record, "a1", &held, &reason));
    assert_int_equal(held, ACT_DRAINED);
    assert_string_equal(reason, "r 1");
    assert_true(act_record_find(record, "a2", &held, &reason));
    assert_int_equal(held, ACT_OVERRULED);
    assert_false(act_record_find(record, "a3", &held, &reason));
    assert_int_equal(held, ACT_NOTHING);
}

static void what_is_not_ours_is_refused(void **state)
{
    (void)state;
    char directory[] = "/tmp/baro-act-XXXXXX", path[64];
    static const char *const texts[] = { "nonsense\n", "a1\tsick\tr\n",
                                         "\tdrained\tr\n" };
    assert_non_null(mkdtemp(directory));
    (void)snprintf(path, sizeof path, "%s/drained", directory);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(act_record_close) struct act_record *record = NULL;
        struct err err = { 0 };
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        (void)fputs(texts[i], file);
        (void)fclose(file);
        assert_int_equal(act_record_open(directory, &record, &err), -EBADMSG);
        assert_non_null(strstr(err.text, ":1:"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_there_again),
        cmocka_unit_test(what_is_not_ours_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
