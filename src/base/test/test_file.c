/* SPDX-License-Identifier: Apache-2.0 */
/* test_file - whole files and the played clock. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <fcntl.h>
#include <sys/mman.h>

static void replacing_is_all_or_nothing(void **state)
{
    (void)state;
    struct err err = { 0 };
    const char *path = scratch_path("a/b");
    assert_int_equal(file_make_dirs(path, 0700, &err), 0);
    assert_int_equal(file_make_dirs(path, 0700, &err), 0);
    assert_int_equal(file_make_dirs("", 0700, &err), -ENOENT);
    assert_non_null(strstr(err.text, "is empty"));
    path = scratch_path("a/b/c");
    assert_int_equal(file_replace(path, "one", 3, 0600, &err), 0);
    assert_int_equal(file_replace(path, "three", 5, 0600, &err), 0);
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    assert_int_equal(file_read(path, 100, &text, &err), 0);
    assert_string_equal(text.data, "three");
    assert_int_equal(file_read(path, 3, &text, &err), -EMSGSIZE);
    path = scratch_path("none/c");
    assert_int_equal(file_replace(path, "x", 1, 0600, &err), -ENOENT);
    assert_non_null(strstr(err.text, "none/c"));
}

static void a_player_drives_the_clock(void **state)
{
    (void)state;
    struct {
        char magic[8];
        int64_t t_ns;
    } page = { "baroclk1", 42 };
    struct err err = { 0 };
    const char *path = scratch_path("clock");
    assert_int_equal(file_replace(path, &page, sizeof page, 0600, &err), 0);
    assert_false(clock_is_played());
    assert_true(clock_now_ns() > INT64_C(1500000000000000000));
    assert_int_equal(setenv("BARO_CLOCK", path, 1), 0);
    assert_int_equal(clock_start(&err), 0);
    assert_true(clock_is_played());
    assert_true(clock_now_ns() == 42);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);
    page.t_ns = INT64_C(7000000000);
    assert_int_equal(pwrite(fd, &page, sizeof page, 0), sizeof page);
    assert_true(clock_now_ms() == 7000);
    assert_int_equal(clock_wait_ms(INT64_C(7000000001)), 1);
    assert_true(clock_wait_ms(INT64_C(900000000000)) < 100);
    assert_int_equal(setenv("BARO_CLOCK", "/dev/null", 1), 0);
    assert_int_equal(clock_start(&err), -EBADMSG);
}

static void a_quota_that_is_used_up_is_a_full_disk(void **state)
{
    (void)state;
    assert_int_equal(file_error(EDQUOT), -ENOSPC);
    assert_int_equal(file_error(ENOSPC), -ENOSPC);
    assert_int_equal(file_error(EIO), -EIO);
    assert_int_equal(file_error(EACCES), -EACCES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replacing_is_all_or_nothing),
        cmocka_unit_test(a_player_drives_the_clock),
        cmocka_unit_test(a_quota_that_is_used_up_is_a_full_disk),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
