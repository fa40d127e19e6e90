/* SPDX-License-Identifier: Apache-2.0 */
/* test_revoked - the list of revoked tokens, and its file that changes. */
#include "net/revoked.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/test/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID_A "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b10"
#define ID_B "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11"

static char path[64];

static int set_up(void **state)
{
    (void)state;
    memcpy(path, "/tmp/test_revoked.XXXXXX", sizeof "/tmp/test_revoked.XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

/* Each with a time of its own, as files have that are written a moment apart. */
static void write_list(const char *text)
{
    static time_t at_s = 1000;
    const struct timespec times[2] = { { .tv_sec = ++at_s }, { .tv_sec = at_s } };
    assert_int_equal(file_replace(path, text, strlen(text), 0600, NULL), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void without_a_file_no_token_is_revoked(void **state)
{
    (void)state;
    static const char *const paths[] = { NULL, "" };
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct revoked revoked;
        revoked_init(&revoked, paths[i]);
        assert_int_equal(revoked_refresh(&revoked, NULL), 0);
        assert_false(revoked_has(&revoked, ID_A));
        revoked_done(&revoked);
    }
}

static void a_file_that_changed_is_read_again(void **state)
{
    (void)state;
    struct revoked revoked;
    revoked_init(&revoked, path);
    write_list("# of May\n" ID_A "\n");
    assert_int_equal(revoked_refresh(&revoked, NULL), 0);
    assert_true(revoked_has(&revoked, ID_A));
    assert_false(revoked_has(&revoked, ID_B));
    write_list(ID_B "\n");
    assert_true(revoked_has(&revoked, ID_A)); /* until it is read */
    assert_int_equal(revoked_refresh(&revoked, NULL), 0);
    assert_false(revoked_has(&revoked, ID_A));
    assert_true(revoked_has(&revoked, ID_B));
    revoked_done(&revoked);
}

static void a_file_that_cannot_be_read_leaves_the_list_as_it_was(void **state)
{
    (void)state;
    struct revoked revoked;
    struct err err = { 0 };
    revoked_init(&revoked, path);
    write_list(ID_A "\n");
    assert_int_equal(revoked_refresh(&revoked, NULL), 0);
    write_list(ID_B "\nnot an id\n");
    assert_int_equal(revoked_refresh(&revoked, &err), -EINVAL);
    assert_non_null(strstr(err.text, path));
    assert_true(revoked_has(&revoked, ID_A));
    assert_false(revoked_has(&revoked, ID_B));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(revoked_refresh(&revoked, &err), -ENOENT);
    assert_true(revoked_has(&revoked, ID_A));
    write_list("");
    assert_int_equal(revoked_refresh(&revoked, NULL), 0);
    assert_false(revoked_has(&revoked, ID_A));
    revoked_done(&revoked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_file_no_token_is_revoked),
        cmocka_unit_test(a_file_that_changed_is_read_again),
        cmocka_unit_test(a_file_that_cannot_be_read_leaves_the_list_as_it_was),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
