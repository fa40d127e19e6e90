/* SPDX-License-Identifier: Apache-2.0 */
/* test_err - lines for people, and the numbers made of errnos. */
#include "base/err.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

static void a_line_says_where_it_happened(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_int_equal(err_set(&err, ENOENT, "no line %d", 7), -ENOENT);
    assert_int_equal(err_prefix(&err, -ENOENT, "%s", "jobs.txt"), -ENOENT);
    assert_string_equal(err.text, "jobs.txt: no line 7");
}

static void what_went_well_is_not_spoken_of(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_int_equal(err_prefix(&err, 0, "jobs.txt"), 0);
    assert_string_equal(err.text, "");
    assert_int_equal(err_prefix(NULL, -EIO, "jobs.txt"), -EIO);
}

static void a_long_line_is_cut_and_ended(void **state)
{
    (void)state;
    char words[2000];
    struct err err = { 0 };
    memset(words, 'x', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    (void)err_set(&err, EIO, "%s", words);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    (void)err_prefix(&err, -EIO, "%s", words);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_non_null(strstr(err.text, "x: x"));
}

static void errno_stays_as_it_was(void **state)
{
    (void)state;
    struct err err = { 0 };
    errno = EXDEV;
    (void)err_set(&err, EIO, "%s", "words");
    assert_int_equal(errno, EXDEV);
}

static void each_errno_has_one_status(void **state)
{
    (void)state;
    assert_int_equal(err_http_status(-EINVAL), 400);
    assert_int_equal(err_http_status(EINVAL), 400);
    assert_int_equal(err_exit_status(-EINVAL), EXIT_USAGE);
    assert_int_equal(err_http_status(-EAGAIN), 503);
    assert_int_equal(err_http_status(-ENOMEM), 503);
    assert_int_equal(err_http_status(-EDQUOT), 429);
    assert_int_equal(err_exit_status(0), EXIT_OK);
    /* Of what no table speaks is our own failure. */
    assert_int_equal(err_http_status(-EXDEV), 500);
    assert_int_equal(err_exit_status(-EXDEV), EXIT_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_says_where_it_happened),
        cmocka_unit_test(what_went_well_is_not_spoken_of),
        cmocka_unit_test(a_long_line_is_cut_and_ended),
        cmocka_unit_test(errno_stays_as_it_was),
        cmocka_unit_test(each_errno_has_one_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
