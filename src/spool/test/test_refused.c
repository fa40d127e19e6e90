/* SPDX-License-Identifier: Apache-2.0 */
/* test_refused - which file of refused/ is written next. */
#include "base/test/testing.h"
#include "spool/spool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void the_newest_file_is_gone_on_behind(void **state)
{
    (void)state;
    static const struct {
        unsigned number;
        time_t written_s;
        unsigned want; /* from then on */
    } cases[] = {
        { 0, 100, 1 },  { 1, 200, 2 }, { 2, 200, 3 }, /* in the same instant */
        { 99, 300, 0 }, { 0, 400, 1 },                /* around the ring */
        { 50, 150, 1 },
    };
    char dir[] = "/tmp/baro-refused-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    unsigned empty = refused_next(dir), got[COUNT_OF(cases)];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct timespec times[2] = { { .tv_sec = cases[i].written_s },
                                           { .tv_sec = cases[i].written_s } };
        (void)snprintf(path, sizeof path, "%s/%02u.json.zst", dir, cases[i].number);
        int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        assert_int_equal(futimens(fd, times), 0);
        assert_int_equal(close(fd), 0);
        got[i] = refused_next(dir);
    }
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        (void)snprintf(path, sizeof path, "%s/%02u.json.zst", dir, cases[i].number);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(dir), 0);
    assert_int_equal(empty, 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(got[i], cases[i].want);
    assert_int_equal(refused_next("/nowhere/at/all"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_file_is_gone_on_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
