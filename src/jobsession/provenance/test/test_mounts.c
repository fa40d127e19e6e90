/* SPDX-License-Identifier: Apache-2.0 */
/* test_mounts - of which file systems a file may be looked at. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "jobsession/provenance/mounts.h"

static const char text[] =
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "30 22 0:40 / /home rw,noatime shared:7 master:2 - nfs4 server:/home rw\n"
    "31 22 0:41 / /gpfs rw shared:8 - gpfs fs1 rw\n"
    "32 31 0:42 / /gpfs/local rw - xfs /dev/sdb rw\n"
    "33 22 0:43 / /a\\040b rw - fuse.sshfs eva@x: rw\n"
    "34 22 0:44 / /twice rw - gpfs fs2 rw\n"
    "35 22 0:45 / /twice rw - tmpfs tmpfs rw\n"
    "36 22 0:46 / /new rw - someday none rw\n"
    "hostile\n\n - \n/ / / / / /";

static void the_mount_that_is_in_front_decides(void **state)
{
    static const struct {
        const char *path;
        bool may_read;
    } paths[] = {
        { "/usr/lib/libc.so.6", true },
        { "/home/eva/x", true },
        { "/gpfs/x", false },
        { "/gpfs", false },
        { "/gpfsx", true },
        { "/gpfs/local/x", true },
        { "/gpfs/localx", false },
        { "/a b/x", false },
        { "/twice/x", true },
        { "/new/x", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        if (mounts_may_read(span_of(text), span_of(paths[i].path)) != paths[i].may_read)
            fail_msg("%s", paths[i].path);
}

static void without_mounts_all_may_be_read(void **state)
{
    (void)state;
    assert_true(mounts_may_read(SPAN(""), SPAN("/x")));
    assert_false(mounts_may_read(SPAN("hostile"), SPAN("/x")));
}

/* This program's own root is of a known type wherever the tests run. */
static void a_root_that_is_not_listed_is_added(void **state)
{
    AUTO(strbuf_done) struct strbuf chrooted = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf usual = STRBUF_INIT;
    (void)state;
    strbuf_adds(&chrooted, "22 27 0:21 / /proc rw - proc proc rw\n");
    assert_false(mounts_may_read(strbuf_span(&chrooted), SPAN("/usr/x")));
    mounts_add_root(&chrooted);
    assert_true(mounts_may_read(strbuf_span(&chrooted), SPAN("/usr/x")));
    assert_false(mounts_may_read(strbuf_span(&chrooted), SPAN("/proc/x")));
    strbuf_adds(&usual, text);
    mounts_add_root(&usual);
    assert_int_equal(usual.size, sizeof text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mount_that_is_in_front_decides),
        cmocka_unit_test(without_mounts_all_may_be_read),
        cmocka_unit_test(a_root_that_is_not_listed_is_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
