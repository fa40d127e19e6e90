/* SPDX-License-Identifier: Apache-2.0 */
/* test_mount_probe - which mounts are of a network, and what is done of them. */
#include "agent/sampling/mount_probe.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <stdio.h>

static void network_file_systems_are_listed(void **state)
{
    static struct mount_list list;
    (void)state;
    mount_list_parse(
        SPAN("22 27 0:21 / /proc rw,relatime - proc proc rw\n"
             "30 27 0:40 / /my\\040home rw shared:3 master:1 - nfs4 server:/x rw\n"
             "31 27 0:41 / /scratch rw - lustre mgs@tcp:/scratch rw\n"
             "32 27 0:42 / /scratch rw - lustre mgs@tcp:/other rw\n"
             "33 27 0:43 / relative rw - nfs s:/ rw\n"
             "34 27 0:44 / /auto rw - autofs systemd-1 rw\nbroken\n\n"
             "35 27 0:45 / /data rw - ceph"),
        &list);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.points[0].path, "/my home");
    assert_string_equal(list.points[1].path, "/scratch");
    assert_string_equal(list.points[2].path, "/data");
    assert_int_equal(list.dropped, 1);
}

static void lists_are_bounded(void **state)
{
    static struct mount_list list;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)state;
    for (unsigned i = 0; i < 100; i++)
        strbuf_addf(&text, "1 2 0:3 / /m%u rw - nfs s:/ rw\n", i);
    strbuf_addf(&text, "1 2 0:3 / /%0*d rw - nfs s:/ rw\n", MOUNT_PATH_BYTES, 1);
    mount_list_parse(strbuf_span(&text), &list);
    assert_int_equal(list.count, MOUNTS_MAX);
    assert_int_equal(list.dropped, 101 - MOUNTS_MAX);
}

static void results_come_in_order(void **state)
{
    static const char *const bad[] = { "", "0", "1 0", "0 5000", "-1 0", "x y", "2 0" };
    static struct mount_results results;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (mount_result_parse(span_of(bad[i]), 2, &results) != -EBADMSG)
            fail_msg("%s", bad[i]);
    assert_int_equal(mount_result_parse(SPAN("0 0"), 2, &results), 0);
    assert_int_equal(mount_result_parse(SPAN("1 116"), 2, &results), 0);
    assert_int_equal(mount_result_parse(SPAN("2 0"), 2, &results), -EBADMSG);
    assert_int_equal(results.done, 2);
    assert_int_equal(results.errors[1], ESTALE);
    assert_false(results.has_ended);
    assert_int_equal(mount_result_parse(SPAN("end"), 2, &results), 0);
    assert_true(results.has_ended);
}

static void imports_are_counted_by_file_system(void **state)
{
    static const char *const lines[] = {
        "import scratch-OST0001 FULL",
        "import scratch-OST0002 EVICTED",
        "import scratch-OST0003 DISCONN",
        "import home-MDT0000 IDLE",
        "import  FULL",
        "import a-name-that-is-not-one FULL",
    };
    static struct mount_results results;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        assert_int_equal(mount_result_parse(span_of(lines[i]), 0, &results), 0);
    assert_int_equal(results.import_count, 3);
    assert_string_equal(results.imports[0].name, "scratch");
    assert_int_equal(results.imports[0].imports, 3);
    assert_int_equal(results.imports[0].away, 2);
    assert_string_equal(results.imports[0].first, "OST0002 is EVICTED");
    assert_int_equal(results.imports[1].away, 0);
}

static void import_files_are_read(void **state)
{
    struct span target, is;
    (void)state;
    assert_true(import_parse(SPAN("import:\n    name: scratch-OST0001-osc-ffff\n"
                                  "    target: scratch-OST0001_UUID\n    state: FULL\n"
                                  "    connect_data:\n       state: x\n"),
                             &target, &is));
    assert_true(span_is(target, "scratch-OST0001_UUID"));
    assert_true(span_is(is, "FULL"));
    assert_false(import_parse(SPAN("import:\n    target: x\n"), &target, &is));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(network_file_systems_are_listed),
        cmocka_unit_test(lists_are_bounded),
        cmocka_unit_test(results_come_in_order),
        cmocka_unit_test(imports_are_counted_by_file_system),
        cmocka_unit_test(import_files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
