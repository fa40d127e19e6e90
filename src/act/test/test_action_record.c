/* SPDX-License-Identifier: Apache-2.0 */
/* test_action_record - what was begun is there after a kill; what is damaged is
 * refused.
 */
#include "act/action_record.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

static struct action_item item_of(const char *component, enum action_state state)
{
    return (struct action_item){ .action = "reboot",
                                 .component = component,
                                 .check = "node:kernel",
                                 .result = "unknown: exit status 1",
                                 .state = state,
                                 .begun_ns = 7,
                                 .ended_ns = 9,
                                 .tries = 2 };
}

static void what_is_saved_is_there_again(void **state)
{
    (void)state;
    struct action_record *record = NULL;
    struct action_item item = item_of("alex/n1", ACTION_BEGUN);
    assert_int_equal(action_record_open(scratch, &record, NULL), 0);
    assert_int_equal(action_record_set(record, &item), 0);
    item.state = ACTION_FAILED;
    assert_int_equal(action_record_set(record, &item), 0);
    item = item_of("alex/n2/dimm:1", ACTION_LOST);
    assert_int_equal(action_record_set(record, &item), 0);
    item = item_of("alex/n3", ACTION_DONE);
    assert_int_equal(action_record_set(record, &item), 0);
    item.state = ACTION_NONE;
    assert_int_equal(action_record_set(record, &item), 0);
    assert_int_equal(action_record_save(record, NULL), 0);
    item = item_of("alex/n4", ACTION_DONE);
    assert_int_equal(action_record_set(record, &item), 0); /* not saved */
    action_record_close(record);
    assert_int_equal(action_record_open(scratch, &record, NULL), 0);
    assert_int_equal(action_record_count(record), 2);
    const struct action_cause cause = { .component = "alex/n1",
                                        .check = "node:kernel" };
    action_record_find(record, "reboot", &cause, &item);
    assert_int_equal(item.state, ACTION_FAILED);
    assert_true(item.begun_ns == 7 && item.ended_ns == 9 && item.tries == 2);
    assert_string_equal(item.result, "unknown: exit status 1");
    action_record_find(record, "ticket", &cause, &item);
    assert_int_equal(item.state, ACTION_NONE);
    action_record_close(record);
}

static void what_could_not_be_read_again_is_not_written(void **state)
{
    (void)state;
    struct action_record *record = NULL;
    assert_int_equal(action_record_open(scratch_path("none"), &record, NULL), 0);
    static const char *const components[] = { "", "alex/n 1", "alex/n\t1", "alex/n\n",
                                              "alex/\xff" };
    for (size_t i = 0; i < COUNT_OF(components); i++) {
        const struct action_item item = item_of(components[i], ACTION_BEGUN);
        if (action_record_set(record, &item) != -EINVAL)
            fail_msg("%s", components[i]);
    }
    struct action_item item = item_of("alex/n1", ACTION_DONE);
    item.result = "two\nlines";
    assert_int_equal(action_record_set(record, &item), -EINVAL);
    item = item_of("alex/n1", ACTION_DONE);
    item.begun_ns = -1;
    assert_int_equal(action_record_set(record, &item), -EINVAL);
    assert_int_equal(action_record_count(record), 0);
    action_record_close(record);
}

static void a_damaged_file_is_refused(void **state)
{
    (void)state;
#define GOOD "reboot\talex/n1\tping\tdone\t1\t2\t1\tdone\n"
    static const struct {
        const char *text;
        int rc;
    } cases[] = {
        { "", 0 },
        { GOOD, 0 },
        { "reboot\talex/n1\tping\tlost\t1\t0\t1\t\n", 0 },
        { GOOD GOOD, -EBADMSG },
        { "reboot\talex/n1\tping\tdone\t1\t2\t1\tdone", -EBADMSG },
        { "reboot\talex/n1\tping\tdone\t1\t2\t1\n", -EBADMSG },
        { "reboot\talex/n1\tping\tdone\t1\t2\t1\tdone\tx\n", -EBADMSG },
        { "reboot\talex/n1\tping\tnone\t1\t2\t1\tdone\n", -EBADMSG },
        { "reboot\talex/n1\tping\t\t1\t2\t1\tdone\n", -EBADMSG },
        { "reboot\talex/n1\tping\tdone\t9223372036854775808\t2\t1\tdone\n", -EBADMSG },
        { "reboot\talex/n1\tping\tdone\t1\t2\t4294967296\tdone\n", -EBADMSG },
        { "\n", -EBADMSG },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct action_record *record = NULL;
        struct err err = { 0 };
        assert_int_equal(file_replace(scratch_path("actions"), cases[i].text,
                                      strlen(cases[i].text), 0600, NULL),
                         0);
        int rc = action_record_open(scratch, &record, &err);
        if (rc != cases[i].rc || (rc < 0) != (err.text[0] != '\0'))
            fail_msg("%zu: %d %s", i, rc, err.text);
        action_record_close(record);
    }
}

static void what_concerns_no_rule_is_forgotten(void **state)
{
    (void)state;
    struct action_record *record = NULL;
    struct action_rule rule = { .name = "reboot",
                                .again_after_ns = 100,
                                .window_ns = 50 };
    const struct action_rules rules = { .rules = &rule, .count = 1 };
    const struct action_rules none = { 0 };
    const struct action_cause cause = { .component = "alex/n1",
                                        .check = "node:kernel" };
    static const struct {
        enum action_state state;
        int64_t now_ns;
        enum action_state left;
    } cases[] = {
        { ACTION_DONE, 109, ACTION_DONE },    { ACTION_DONE, 110, ACTION_NONE },
        { ACTION_FAILED, 110, ACTION_NONE },  { ACTION_LOST, 1000, ACTION_LOST },
        { ACTION_BEGUN, 1000, ACTION_BEGUN },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct action_item item = item_of("alex/n1", cases[i].state);
        assert_int_equal(action_record_open(scratch_path("none"), &record, NULL), 0);
        assert_int_equal(action_record_set(record, &item), 0);
        action_record_forget(record, &none, cases[i].now_ns); /* it may come back */
        action_record_forget(record, &rules, cases[i].now_ns);
        action_record_find(record, "reboot", &cause, &item);
        if (item.state != cases[i].left)
            fail_msg("%zu: %d", i, item.state);
        action_record_close(record);
    }
}

static void a_clock_that_was_set_makes_all_of_now(void **state)
{
    (void)state;
    struct action_record *record = NULL;
    struct action_item item = item_of("alex/n1", ACTION_DONE);
    assert_int_equal(action_record_open(scratch_path("none"), &record, NULL), 0);
    assert_int_equal(action_record_set(record, &item), 0);
    action_record_start_anew(record, 1234);
    action_record_at(record, 0, &item);
    assert_true(item.begun_ns == 1234 && item.ended_ns == 1234);
    action_record_close(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_there_again),
        cmocka_unit_test(what_could_not_be_read_again_is_not_written),
        cmocka_unit_test(a_damaged_file_is_refused),
        cmocka_unit_test(what_concerns_no_rule_is_forgotten),
        cmocka_unit_test(a_clock_that_was_set_makes_all_of_now),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
