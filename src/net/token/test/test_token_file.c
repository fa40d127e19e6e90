/* SPDX-License-Identifier: Apache-2.0 */
/* test_token_file - a token that is replaced, in one way or another. */
#include "net/token/token_file.h"

#include "base/file.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/baro-token.XXXXXX";

static void write_in_place(const char *text)
{
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void move_over(const char *text)
{
    assert_int_equal(file_replace(path, text, strlen(text), 0600, NULL), 0);
}

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 || fchmod(fd, 0600) < 0 || close(fd) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(path);
    return 0;
}

static void a_token_that_was_replaced_is_read(void **state)
{
    (void)state;
    AUTO(token_file_free) struct token_file *file = NULL;
    move_over("  first\n");
    assert_int_equal(token_file_open(path, &file, NULL), 0);
    assert_true(span_is(token_file_text(file), "first"));
    assert_int_equal(token_file_refresh(file, NULL), 0);
    move_over("other\n"); /* of the same size */
    assert_int_equal(token_file_refresh(file, NULL), 1);
    assert_true(span_is(token_file_text(file), "other"));
    write_in_place("a longer one\n");
    assert_int_equal(token_file_refresh(file, NULL), 1);
    assert_true(span_is(token_file_text(file), "a longer one"));
    move_over("a longer one"); /* another file, the same token */
    assert_int_equal(token_file_refresh(file, NULL), 0);
}

static void one_in_doubt_is_read_whatever_its_times_say(void **state)
{
    (void)state;
    AUTO(token_file_free) struct token_file *file = NULL;
    move_over("one\n");
    assert_int_equal(token_file_open(path, &file, NULL), 0);
    token_file_doubt(file);
    assert_int_equal(token_file_refresh(file, NULL), 0);
    assert_true(span_is(token_file_text(file), "one"));
}

static void while_it_cannot_be_read_the_old_one_serves(void **state)
{
    (void)state;
    AUTO(token_file_free) struct token_file *file = NULL;
    struct err err = { 0 };
    move_over("one\n");
    assert_int_equal(token_file_open(path, &file, NULL), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(token_file_refresh(file, &err), -ENOENT);
    assert_non_null(strstr(err.text, path));
    assert_true(span_is(token_file_text(file), "one"));
    move_over("two\nlines\n");
    assert_int_equal(token_file_refresh(file, &err), -EINVAL);
    move_over("open to all\n");
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(token_file_refresh(file, &err), -EACCES);
    assert_true(span_is(token_file_text(file), "one"));
    move_over("two\n");
    assert_int_equal(token_file_refresh(file, &err), 1);
    assert_true(span_is(token_file_text(file), "two"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_that_was_replaced_is_read),
        cmocka_unit_test(one_in_doubt_is_read_whatever_its_times_say),
        cmocka_unit_test(while_it_cannot_be_read_the_old_one_serves),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
