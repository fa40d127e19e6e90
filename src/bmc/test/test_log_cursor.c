/* SPDX-License-Identifier: Apache-2.0 */
/* test_log_cursor - which entries of a log were seen, also after a restart. */
#include "base/file.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "bmc/log_cursor.h"

static uint64_t hash_of(const char *id, int64_t t_ns, const char *text)
{
    struct bmc_entry entry = { .t_ns = t_ns };
    (void)snprintf(entry.id, sizeof entry.id, "%s", id);
    (void)snprintf(entry.text, sizeof entry.text, "%s", text);
    return log_entry_hash(&entry);
}

static void it_is_the_same_after_a_restart(void **state)
{
    char directory[] = "/tmp/test_log_cursor.XXXXXX";
    struct log_cursor cursor = { 0 }, again = { 0 };
    struct log_seen *seen = calloc(1, sizeof *seen);
    struct err err = { 0 };
    bool has_changed = false;
    (void)state;
    assert_non_null(seen);
    assert_non_null(mkdtemp(directory));
    assert_int_equal(log_cursor_load(&again, directory, "a1", &err), 0);
    assert_false(again.is_set);
    log_seen_add(seen, hash_of("1", 5, "x"));
    log_seen_add(seen, hash_of("2", 5, "x"));
    log_seen_add(seen, hash_of("2", 5, "x")); /* of the last cursor: it is one */
    seen->sel_next = 513;
    seen->sel_hash = 0xFEDCBA9876543210U;
    assert_int_equal(log_cursor_set(&cursor, seen, &has_changed), 0);
    assert_true(has_changed);
    assert_int_equal(log_cursor_save(&cursor, directory, "alex/a1", &err), 0);
    /* Another cluster's host of that name has a file of its own. */
    assert_int_equal(log_cursor_load(&again, directory, "fritz/a1", &err), 0);
    assert_false(again.is_set);
    assert_int_equal(log_cursor_load(&again, directory, "alex/a1", &err), 0);
    assert_true(again.is_set && again.count == 2 && again.sel_next == 513);
    assert_true(again.sel_hash == 0xFEDCBA9876543210U);
    assert_true(log_cursor_has(&again, hash_of("2", 5, "x")));
    /* Each of id, time and text makes another entry. */
    assert_false(log_cursor_has(&again, hash_of("3", 5, "x")));
    assert_false(log_cursor_has(&again, hash_of("2", 6, "x")));
    assert_false(log_cursor_has(&again, hash_of("2", 5, "y")));
    assert_int_equal(log_cursor_set(&again, seen, &has_changed), 0);
    assert_false(has_changed);
    log_cursor_done(&cursor);
    log_cursor_done(&again);
    free(seen);
}

static void what_is_no_such_file_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "baro-bmc-log 2\nsel 0 0000000000000000\n",
        "baro-bmc-log 1\n",
        "baro-bmc-log 1\nsel 70000 0000000000000000\n",
        "baro-bmc-log 1\nsel 1 000000000000000g\n",
        "baro-bmc-log 1\nsel 1 0000000000000000\n0123\n",
    };
    char directory[] = "/tmp/test_log_cursor.XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(directory));
    (void)snprintf(path, sizeof path, "%s/a1.log", directory);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct log_cursor cursor;
        struct err err = { 0 };
        assert_int_equal(file_replace(path, texts[i], strlen(texts[i]), 0600, &err), 0);
        if (log_cursor_load(&cursor, directory, "a1", &err) != -EBADMSG ||
            cursor.is_set)
            fail_msg("'%s' is accepted", texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_same_after_a_restart),
        cmocka_unit_test(what_is_no_such_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
