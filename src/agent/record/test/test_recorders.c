/* SPDX-License-Identifier: Apache-2.0 */
/* test_recorders - which texts are samples, and which options can be recorded with. */
#include "agent/record/gpfs_recorder.h"
#include "agent/record/health_recorder.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

static void a_sample_is_whole_and_names_a_target(void **state)
{
    (void)state;
    static const char target[] =
        "UUID                   1K-blocks        Used   Available Use% Mounted on\n"
        "fs-OST0000_UUID             1000         200         800  20% /fs[OST:0]\n";
    static const struct {
        const char *name, *text;
        int rc;
        const char *reason;
    } cases[] = {
        { "a sample", target, 0, "" },
        { "nothing", "", -ENODATA, "printed nothing" },
        { "no target", "hello\n", -ENODATA, "names no target" },
        { "cut", "fs-OST0000_UUID 1000 200 800 20% /fs[OST:0]", -EBADMSG, "is cut" },
        { "two samples", "fs-OST0000_UUID 1000 200 800 20% /fs[OST:0]\nBEGIN 3\n",
          -EBADMSG, "BEGIN" },
        { "a time of its own", "BEGIN 3\nfs-OST0000_UUID 1000 200 800 20% /fs[OST:0]\n",
          -EBADMSG, "BEGIN" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        int rc = health_recorder_check(span_of(cases[i].text), &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason))
            fail_msg("%s: %d: %s", cases[i].name, rc, err.text);
    }
}

static void options_of_a_recorder_are_checked(void **state)
{
    (void)state;
    const struct gpfs_recorder_opts good = {
        .dir = "/d", .cluster = "c1", .side = "server", .step_ns = 5 * NS_PER_S
    };
    struct gpfs_recorder_opts bad[8];
    assert_int_equal(gpfs_recorder_check(&good, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        bad[i] = good;
    bad[0].dir = NULL;
    bad[1].cluster = NULL;
    bad[2].cluster = "";
    bad[3].cluster = "a,b"; /* it would be two cells */
    bad[4].cluster = "a\nb";
    bad[5].side = "both";
    bad[6].step_ns = 1500 * NS_PER_MS;
    bad[7].step_ns = 0;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct err err = { 0 };
        bool has_lost = false;
        if (gpfs_recorder_check(&bad[i], &err) != -EINVAL || !err.text[0])
            fail_msg("%zu is accepted", i);
        assert_int_equal(gpfs_recorder_run(&bad[i], &has_lost, NULL), -EINVAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_is_whole_and_names_a_target),
        cmocka_unit_test(options_of_a_recorder_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
