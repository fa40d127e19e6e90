/* SPDX-License-Identifier: Apache-2.0 */
/* test_record - what was drained by us is there after a kill, and one program has it.
 */
#include "act/record.h"
#include "base/span.h"
#include "base/test/testing.h"

static void open_record(const char *directory, const char *cluster,
                        struct act_record **ret)
{
    struct err err = { 0 };
    const struct act_record_opts opts = { .directory = directory, .cluster = cluster };
    if (act_record_open(&opts, ret, &err) < 0)
        fail_msg("%s", err.text);
}

static void set(struct act_record *record, const char *node,
                enum act_record_state state, const char *reason)
{
    const struct act_item item = { .node = node,
                                   .state = state,
                                   .reason = reason,
                                   .changed_ns = 7,
                                   .since_ns = INT64_MAX };
    assert_int_equal(act_record_set(record, &item), 0);
}

static void what_is_saved_is_there_again(void **state)
{
    (void)state;
    char directory[] = "/tmp/baro-act-XXXXXX";
    struct act_item held;
    assert_non_null(mkdtemp(directory));
    {
        AUTO(act_record_close) struct act_record *record = NULL;
        open_record(directory, "alex", &record);
        set(record, "a1", ACT_BEGUN, "baro: r 1");
        set(record, "a1", ACT_DRAINED, "baro: r 1");
        set(record, "a2", ACT_OVERRULED, "baro: r 2");
        set(record, "a3", ACT_DRAINED, "baro: r 3");
        set(record, "a3", ACT_NOTHING, "");
        const struct run_clock run = {
            .t_ns = 42, .boot_ns = 43, .boot = "start", .set_ns = 41
        };
        assert_int_equal(act_record_set_last_run(record, &run), 0);
        assert_int_equal(act_record_save(record, NULL), 0);
        set(record, "a4", ACT_DRAINED, "baro: not saved");
    }
    AUTO(act_record_close) struct act_record *record = NULL;
    open_record(directory, "alex", &record);
    assert_int_equal(act_record_count(record), 3);
    struct run_clock last;
    act_record_last_run(record, &last);
    assert_true(last.t_ns == 42 && last.boot_ns == 43 && last.set_ns == 41);
    assert_string_equal(last.boot, "start");
    assert_true(act_record_find(record, "a1", &held));
    assert_int_equal(held.state, ACT_DRAINED);
    assert_string_equal(held.reason, "baro: r 1");
    assert_true(held.changed_ns == 7 && held.since_ns == INT64_MAX);
    assert_true(act_record_find(record, "a2", &held));
    assert_int_equal(held.state, ACT_OVERRULED);
    assert_false(act_record_find(record, "a3", &held));
    assert_int_equal(held.state, ACT_NOTHING);
}

static void a_node_is_of_its_cluster(void **state)
{
    (void)state;
    char directory[] = "/tmp/baro-act-XXXXXX";
    struct act_item held;
    assert_non_null(mkdtemp(directory));
    {
        AUTO(act_record_close) struct act_record *record = NULL;
        open_record(directory, "alex", &record);
        set(record, "n1", ACT_DRAINED, "baro: r 1");
        assert_int_equal(act_record_save(record, NULL), 0);
    }
    {
        AUTO(act_record_close) struct act_record *record = NULL;
        open_record(directory, "fritz", &record);
        assert_false(act_record_find(record, "n1", &held));
        set(record, "n1", ACT_NOTHING, "");
        assert_int_equal(act_record_save(record, NULL), 0);
    }
    AUTO(act_record_close) struct act_record *record = NULL;
    open_record(directory, "alex", &record);
    assert_true(act_record_find(record, "n1", &held));
    assert_string_equal(held.reason, "baro: r 1");
}

static void write_file(const char *directory, const char *name, const char *text)
{
    char path[96];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

static void an_old_record_is_adopted(void **state)
{
    (void)state;
    char old[] = "/tmp/baro-act-XXXXXX", directory[64];
    struct act_item held;
    assert_non_null(mkdtemp(old));
    write_file(old, "drained", "n1\tdrained\tbaro: r 1\nn2\toverruled\tbaro: r 2\n");
    (void)snprintf(directory, sizeof directory, "%s/alex", old);
    const struct act_record_opts opts = { .directory = directory,
                                          .cluster = "alex",
                                          .old_directory = old };
    {
        AUTO(act_record_close) struct act_record *record = NULL;
        assert_int_equal(act_record_open(&opts, &record, NULL), 0);
        assert_int_equal(act_record_count(record), 2);
        assert_false(act_record_find(record, "n1", &held));
        assert_int_equal(act_record_adopt(record, 0), 0);
        assert_true(act_record_find(record, "n1", &held));
        assert_int_equal(held.state, ACT_DRAINED);
        assert_int_equal(act_record_save(record, NULL), 0);
    }
    AUTO(act_record_close) struct act_record *record = NULL;
    assert_int_equal(act_record_open(&opts, &record, NULL), 0);
    assert_int_equal(act_record_count(record), 2);
    assert_true(act_record_find(record, "n1", &held));
    act_record_at(record, 0, &held);
    assert_string_equal(held.node, "n2"); /* its cluster is not known yet */
    assert_string_equal(held.cluster, "");
}

static void a_torn_line_swallows_none(void **state)
{
    (void)state;
    char directory[] = "/tmp/baro-act-XXXXXX", path[64], text[512] = "";
    assert_non_null(mkdtemp(directory));
    write_file(directory, "actions.log", "{\"time\":\"x");
    {
        AUTO(act_record_close) struct act_record *record = NULL;
        open_record(directory, "alex", &record);
        const struct act_entry entry = { .node = "a1", .action = "drain" };
        assert_int_equal(act_record_log(record, &entry, NULL), 0);
    }
    (void)snprintf(path, sizeof path, "%s/actions.log", directory);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    (void)fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    assert_ptr_equal(strstr(text, "{\"time\":\"x\n{\"time\":"), text);
}

static void what_is_not_ours_is_refused(void **state)
{
    (void)state;
    char directory[] = "/tmp/baro-act-XXXXXX";
    static const char *const texts[] = {
        "nonsense\n",
        "a1\tsick\tbaro: r\n",
        "\tdrained\tbaro: r\n",
        "alex\ta1\tdrained\t1\t-1\tbaro: r\n",
        "alex\ta1\tdrained\t99999999999999999999\t1\tbaro: r\n",
        "alex\ta1\tdrained\t1\t1\n",
        "alex\ta1\tdrained\t1\t1\tbad DIMM\n",
        "alex\ta1\tdrained\t1\t1\t\n",
        "alex\ta1\tbegun\t1\t1\tbaro:\n",
        "a1\tdrained\tbad DIMM\n",
        "alex\tn[1-9]\tdrained\t1\t1\tbaro: r\n",
        "alex\t*\tdrained\t1\t1\tbaro: r\n",
        "alex\ta1\tdrained\t1\t1\tbaro: r\x1b[2J\n",
        "alex\ta1\tdrained\t1\t1\tbaro: r", /* cut off */
    };
    assert_non_null(mkdtemp(directory));
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(act_record_close) struct act_record *record = NULL;
        const struct act_record_opts opts = { .directory = directory,
                                              .cluster = "alex" };
        struct err err = { 0 };
        write_file(directory, "drained", texts[i]);
        assert_int_equal(act_record_open(&opts, &record, &err), -EBADMSG);
        assert_non_null(strstr(err.text, ":1:"));
    }
}

static void a_line_twice_or_with_a_zero_byte_is_refused(void **state)
{
    (void)state;
    char directory[] = "/tmp/baro-act-XXXXXX", path[96];
    struct err err = { 0 };
    const struct act_record_opts opts = { .directory = directory, .cluster = "alex" };
    static const char zero[] = "alex\ta1\0b\tdrained\t1\t1\tbaro: r\n";
    assert_non_null(mkdtemp(directory));
    write_file(directory, "drained",
               "alex\ta1\tseen\t1\t1\tdown\nalex\ta1\tdrained\t1\t1\tbaro: r\n");
    AUTO(act_record_close) struct act_record *record = NULL;
    assert_int_equal(act_record_open(&opts, &record, &err), -EBADMSG);
    assert_non_null(strstr(err.text, ":2:"));
    (void)snprintf(path, sizeof path, "%s/drained", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(zero, 1, sizeof zero - 1, file), sizeof zero - 1);
    (void)fclose(file);
    assert_int_equal(act_record_open(&opts, &record, &err), -EBADMSG);
}

/* What was refused leaves the record as it was, and readable. */
static void what_could_not_be_read_again_is_not_written(void **state)
{
    (void)state;
    char directory[] = "/tmp/baro-act-XXXXXX";
    static const struct act_item items[] = {
        { .node = "a\tseen\t1\t1\tdown\nalex\tn1\tdrained\t1\t1\tbad DIMM\nalex\tb",
          .state = ACT_SEEN,
          .reason = "down" },
        { .node = "*", .state = ACT_DRAINED, .reason = "baro: r" },
        { .node = "", .state = ACT_SEEN, .reason = "down" },
        { .node = "n[1-9]", .state = ACT_SEEN, .reason = "down" },
        { .node = "n1", .state = ACT_DRAINED, .reason = "bad DIMM" },
        { .node = "n1", .state = ACT_BEGUN, .reason = NULL },
        { .node = "n1", .state = ACT_DRAINED, .reason = "baro: a\tb" },
        { .node = "n1", .state = ACT_DRAINED, .reason = "baro: a\nb" },
        { .node = "n1", .state = ACT_SEEN, .reason = "down", .changed_ns = -1 },
        { .node = "n1", .state = ACT_SEEN, .reason = "down", .since_ns = -1 },
    };
    char longest[ACT_REASON_BYTES_MAX + 2] = ACT_REASON_MARK;
    memset(longest + strlen(longest), 'x', sizeof longest - 1 - strlen(longest));
    longest[sizeof longest - 1] = '\0';
    const struct act_item too_long = { .node = "n1",
                                       .state = ACT_DRAINED,
                                       .reason = longest };
    assert_non_null(mkdtemp(directory));
    {
        AUTO(act_record_close) struct act_record *record = NULL;
        open_record(directory, "alex", &record);
        for (size_t i = 0; i < COUNT_OF(items); i++)
            if (act_record_set(record, &items[i]) != -EINVAL)
                fail_msg("%zu: %s", i, items[i].node);
        assert_int_equal(act_record_set(record, &too_long), -EINVAL);
        longest[ACT_REASON_BYTES_MAX] = '\0';
        assert_int_equal(act_record_set(record, &too_long), 0);
        assert_int_equal(act_record_save(record, NULL), 0);
    }
    AUTO(act_record_close) struct act_record *record = NULL;
    open_record(directory, "alex", &record);
    assert_int_equal(act_record_count(record), 1);
}

static void after_a_clock_was_set_all_starts_anew(void **state)
{
    (void)state;
    char directory[] = "/tmp/baro-act-XXXXXX";
    struct act_item held;
    struct run_clock last;
    const struct run_clock now = { .t_ns = 99, .boot_ns = 1, .boot = "b" };
    assert_non_null(mkdtemp(directory));
    AUTO(act_record_close) struct act_record *other = NULL;
    open_record(directory, "fritz", &other);
    set(other, "n1", ACT_SEEN, "down");
    assert_int_equal(act_record_save(other, NULL), 0);
    act_record_close(TAKE(other));
    AUTO(act_record_close) struct act_record *record = NULL;
    open_record(directory, "alex", &record);
    set(record, "n1", ACT_SEEN, "down");
    assert_int_equal(act_record_start_anew(record, &now), 0);
    assert_true(act_record_find(record, "n1", &held));
    assert_true(held.changed_ns == 99 && held.since_ns == 99);
    act_record_last_run(record, &last);
    assert_true(last.t_ns == 99 && last.boot_ns == 1);
    act_record_at(record, 0, &held);
    assert_string_equal(held.cluster, "fritz");
    assert_true(held.changed_ns == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_there_again),
        cmocka_unit_test(a_node_is_of_its_cluster),
        cmocka_unit_test(an_old_record_is_adopted),
        cmocka_unit_test(a_torn_line_swallows_none),
        cmocka_unit_test(what_is_not_ours_is_refused),
        cmocka_unit_test(a_line_twice_or_with_a_zero_byte_is_refused),
        cmocka_unit_test(what_could_not_be_read_again_is_not_written),
        cmocka_unit_test(after_a_clock_was_set_all_starts_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
