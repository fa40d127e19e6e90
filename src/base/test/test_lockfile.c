/* SPDX-License-Identifier: Apache-2.0 */
/* test_lockfile - a file that one process holds, and that names it. */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/system/lockfile.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path; /* of the lock */

/* Another process: that of the same one would not hinder itself by flock(2) alone. */
static pid_t start_holder(void)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        int fd;
        struct err err = { 0 };
        byte = lockfile_take(path, &fd, &err) == 0 ? 'y' : 'n';
        (void)!write(ready[1], &byte, 1);
        (void)pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    (void)close(ready[0]);
    (void)close(ready[1]);
    return pid;
}

static void a_second_holder_is_refused_and_hears_of_the_first(void **state)
{
    struct err err = { 0 };
    char pid_text[32];
    int fd = -1;
    (void)state;
    pid_t holder = start_holder();
    assert_int_equal(lockfile_take(path, &fd, &err), -EBUSY);
    assert_int_equal(fd, -1);
    (void)snprintf(pid_text, sizeof pid_text, "process %d", (int)holder);
    assert_non_null(strstr(err.text, pid_text));
    assert_non_null(strstr(err.text, path));
    /* However it ends, the lock ends with it. */
    (void)kill(holder, SIGKILL);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
    assert_int_equal(lockfile_take(path, &fd, &err), 0);
    (void)close(fd);
}

static void the_file_names_its_holder(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    char want[32];
    int fd = -1;
    (void)state;
    assert_int_equal(file_replace(path, "123456789012345", 15, 0600, &err), 0);
    assert_int_equal(lockfile_take(path, &fd, &err), 0);
    assert_int_equal(file_read(path, 100, &text, &err), 0);
    (void)snprintf(want, sizeof want, "%d\n", (int)getpid());
    assert_string_equal(strbuf_text(&text), want);
    (void)close(fd);
}

static void a_link_in_its_place_is_not_followed(void **state)
{
    struct err err = { 0 };
    int fd = -1;
    (void)state;
    const char *other = scratch_path("other");
    (void)unlink(path);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(lockfile_take(path, &fd, &err), -ELOOP);
    assert_int_equal(access(other, F_OK), -1);
    (void)unlink(path);
}

static int setup(void **state)
{
    int rc = scratch_make(state);
    path = strdup(scratch_path("lock"));
    return path ? rc : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_holder_is_refused_and_hears_of_the_first),
        cmocka_unit_test(the_file_names_its_holder),
        cmocka_unit_test(a_link_in_its_place_is_not_followed),
    };
    return cmocka_run_group_tests(tests, setup, scratch_remove);
}
