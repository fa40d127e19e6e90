/* SPDX-License-Identifier: Apache-2.0 */
/* test_action_command - what others wrote stays within its argument. */
#include "act/action_command.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

static void arguments_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
    } cases[] = {
        { "/bin/true", 0 },
        { "{host}", 0 },
        { "--x={reason}-{since}", 0 },
        { "{hos}", -EINVAL },
        { "{host", -EINVAL },
        { "{", -EINVAL },
        { "{}", -EINVAL },
        { "{host}{x}", -EINVAL },
        { "}", 0 },
        { "{action}{check}", 0 },
        { "{HOST}", -EINVAL },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        if (action_argument_check(cases[i].text, &err) != cases[i].rc)
            fail_msg("%s", cases[i].text);
    }
}

static void values_stay_within_their_argument(void **state)
{
    (void)state;
    AUTO(action_command_done) struct action_command command;
    const struct action_rule rule = {
        .name = "reboot",
        .arguments = { (char[]){ "/bin/x" }, (char[]){ "{reason}" },
                       (char[]){ "-n={host}:{state}" }, (char[]){ "{component}" } },
    };
    const struct action_cause cause = {
        .component = "alex/n1/dimm:1",
        .host = "n1",
        .check = "node:edac",
        .reason = "--x {host}\n\"'`\\|\x1b[31m\xc3\xa4 $(id); rm -rf /",
        .state = RESOURCE_DEGRADED,
        .since_ns = NS_PER_S,
    };
    action_command_init(&command);
    assert_int_equal(action_command_make(&rule, &cause, &command), 0);
    assert_string_equal(command.argv[0], "/bin/x");
    assert_string_equal(command.argv[1], "?-x {host}???????[31m?? ??id?? rm -rf /");
    assert_string_equal(command.argv[2], "-n=n1:degraded");
    assert_string_equal(command.argv[3], "alex/n1/dimm:1");
    assert_null(command.argv[4]);
    static const char *const environment[] = {
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "LC_ALL=C",
        "BARO_ACTION=reboot",
        "BARO_HOST=n1",
        "BARO_COMPONENT=alex/n1/dimm:1",
        "BARO_CLUSTER=alex",
        "BARO_CHECK=node:edac",
        "BARO_STATE=degraded",
        "BARO_REASON=?-x {host}???????[31m?? ??id?? rm -rf /",
        "BARO_SINCE=1970-01-01T00:00:01Z",
    };
    for (size_t i = 0; i < COUNT_OF(environment); i++)
        assert_string_equal(command.environment[i], environment[i]);
    assert_null(command.environment[COUNT_OF(environment)]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(values_stay_within_their_argument),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
