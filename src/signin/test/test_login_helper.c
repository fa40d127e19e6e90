/* SPDX-License-Identifier: Apache-2.0 */
/* test_login_helper - helpers that do as they should, hang, crash, and leave others
 * behind: shell scripts, each for one trouble. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"
#include "signin/login_helper.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *script(const char *name, const char *text)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fprintf(file, "#!/bin/sh\n%s\n", text) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

static int check_with(const char *path, int64_t timeout_ns, struct login_result *ret,
                      struct err *err)
{
    struct login_helper helper = { .path = path,
                                   .service = "test",
                                   .directory = "",
                                   .timeout_ns = timeout_ns,
                                   .stop_fd = -1 };
    login_helper_init(&helper);
    int rc = login_helper_check(&helper, SPAN("1\0a\0alice\0secret\0"), ret, err);
    for (size_t i = 0; i < LOGIN_LEFT_MAX; i++)
        assert_int_equal(helper.left[i], 0);
    login_helper_done(&helper);
    return rc;
}

static size_t count_descriptors(void)
{
    size_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    assert_int_equal(closedir(directory), 0);
    return count;
}

/* Once killed it is reaped by init, or stays a zombie, which has no program. */
static bool is_gone(uint64_t pid)
{
    char path[64], link[64];
    (void)snprintf(path, sizeof path, "/proc/%llu/exe", (unsigned long long)pid);
    for (int i = 0; i < 500; i++) {
        if (readlink(path, link, sizeof link) <= 0)
            return true;
        (void)usleep(10000);
    }
    return false;
}

static void a_result_is_read(void **state)
{
    struct login_result result = { 0 };
    struct err err = { 0 };
    (void)state;
    const char *path =
        script("good", "[ $# = 1 ] && [ $1 = test ] && tr '\\0' ' ' |\n"
                       "    grep -q '^1 a alice secret $' && echo ok 1 3 alice");
    if (check_with(path, 10 * NS_PER_S, &result, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(result.verdict, LOGIN_OK);
    assert_int_equal(result.groups, 3);
}

/* Only input and output, no password in its environment or arguments, a session of its
 * own. */
static void it_has_nothing_else(void **state)
{
    struct login_result result = { 0 };
    struct err err = { 0 };
    (void)state;
    int fd = dup(STDERR_FILENO); /* without close-on-exec */
    assert_true(fd > 2);
    const char *path = script(
        "bare", "cat >/dev/null\n"
                "for fd in 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$fd ] || exit 1; done\n"
                "[ \"$(env | grep -vc -e ^PATH= -e ^LC_ALL= -e ^PWD= -e ^_= -e ^SHLVL= "
                "-e ^OLDPWD=)\" = 0 ] || exit 1\n"
                "[ \"$(cut -d' ' -f6 /proc/$$/stat)\" = $$ ] || exit 1\n"
                "echo denied 0 0 alice");
    assert_int_equal(setenv("BARO_TEST_SECRET", "x", 1), 0);
    int rc = check_with(path, 10 * NS_PER_S, &result, &err);
    (void)close(fd);
    if (rc < 0)
        fail_msg("%s", err.text);
    assert_int_equal(result.verdict, LOGIN_DENIED);
}

static void one_that_hangs_is_ended_with_its_children(void **state)
{
    struct login_result result = { 0 };
    struct err err = { 0 };
    char text[400];
    (void)state;
    (void)snprintf(text, sizeof text,
                   "trap '' TERM INT HUP\nsleep 1000 &\necho $! >%s\nsleep 1000",
                   scratch_path("child"));
    const char *path = script("hangs", text);
    int64_t begun_ns = clock_monotonic_ns();
    assert_int_equal(check_with(path, 2 * NS_PER_S, &result, &err), -ETIMEDOUT);
    assert_non_null(strstr(err.text, "'test': no result within 2 s"));
    assert_true(clock_monotonic_ns() - begun_ns < 60 * NS_PER_S);
    AUTO(strbuf_done) struct strbuf child = STRBUF_INIT;
    assert_int_equal(file_read(scratch_path("child"), 100, &child, NULL), 0);
    uint64_t pid = 0;
    assert_int_equal(number_parse_u64(span_trim(strbuf_span(&child)), &pid), 0);
    assert_true(is_gone(pid));
}

static void one_that_crashes_is_named(void **state)
{
    struct login_result result = { 0 };
    struct err err = { 0 };
    (void)state;
    const char *path = script("crashes", "cat >/dev/null\nkill -SEGV $$");
    assert_int_equal(check_with(path, 10 * NS_PER_S, &result, &err), -EBADMSG);
    path = script("silent", "exit 0");
    assert_int_equal(check_with(path, 10 * NS_PER_S, &result, &err), -EBADMSG);
    path = script("talks", "cat >/dev/null\necho welcome\necho ok 1 0 alice");
    assert_int_equal(check_with(path, 10 * NS_PER_S, &result, &err), -EBADMSG);
    path = script("floods", "cat >/dev/null\nyes");
    assert_int_equal(check_with(path, 10 * NS_PER_S, &result, &err), -EBADMSG);
    assert_true(check_with("/nonexistent", NS_PER_S, &result, &err) < 0);
    assert_non_null(strstr(err.text, "/nonexistent"));
}

/* By two signals, with a question that it has read and one that it has not, and each
 * with a child that goes on and holds nothing of ours. */
static void after_many_crashes_nothing_is_left(void **state)
{
    static const char *const words[] = { "kill -KILL $$", "cat >&2; kill -SEGV $$" };
    struct login_result result = { 0 };
    struct err err = { 0 };
    char text[400];
    (void)state;
    size_t descriptors = count_descriptors();
    for (size_t i = 0; i < 50; i++) {
        (void)snprintf(text, sizeof text, "sleep 1000 <&2 >&2 &\necho $! >>%s\n%s",
                       scratch_path("pids"), words[i % COUNT_OF(words)]);
        const char *path = script("dies", text);
        assert_int_equal(check_with(path, 60 * NS_PER_S, &result, &err), -EBADMSG);
        assert_int_equal(strstr(err.text, "Segmentation") != NULL, i % 2);
    }
    assert_int_equal(count_descriptors(), descriptors);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    AUTO(strbuf_done) struct strbuf pids = STRBUF_INIT;
    assert_int_equal(file_read(scratch_path("pids"), 1000, &pids, NULL), 0);
    struct span rest = strbuf_span(&pids), line;
    uint64_t pid = 0;
    size_t count = 0;
    for (; rest.size > 0; count++) {
        (void)span_cut(&rest, '\n', &line);
        assert_int_equal(number_parse_u64(line, &pid), 0);
        assert_true(is_gone(pid));
    }
    assert_int_equal(count, 50);
}

/* A daemon that a module started holds the other end open: nothing waits for it. */
static void what_it_leaves_behind_does_not_matter(void **state)
{
    struct login_result result = { 0 };
    struct err err = { 0 };
    (void)state;
    const char *path =
        script("leaves", "cat >/dev/null\nsleep 1000 &\necho ok 1 0 alice");
    int64_t begun_ns = clock_monotonic_ns();
    if (check_with(path, 100 * NS_PER_S, &result, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(clock_monotonic_ns() - begun_ns < 90 * NS_PER_S);
}

static void a_stop_ends_the_wait(void **state)
{
    struct login_result result = { 0 };
    struct err err = { 0 };
    (void)state;
    struct login_helper helper = { .path = script("sleeps", "sleep 1000"),
                                   .service = "test",
                                   .directory = "",
                                   .timeout_ns = 100 * NS_PER_S,
                                   .stop_fd = eventfd(1, EFD_CLOEXEC) };
    login_helper_init(&helper);
    assert_int_equal(login_helper_check(&helper, SPAN("1"), &result, &err), -ECANCELED);
    login_helper_done(&helper);
    (void)close(helper.stop_fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_is_read),
        cmocka_unit_test(it_has_nothing_else),
        cmocka_unit_test(one_that_hangs_is_ended_with_its_children),
        cmocka_unit_test(one_that_crashes_is_named),
        cmocka_unit_test(after_many_crashes_nothing_is_left),
        cmocka_unit_test(what_it_leaves_behind_does_not_matter),
        cmocka_unit_test(a_stop_ends_the_wait),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
