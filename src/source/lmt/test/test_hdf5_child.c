/* SPDX-License-Identifier: Apache-2.0 */
/* test_hdf5_child - how the process that reads HDF5 may end, and what is said of it. */
#include "source/lmt/hdf5_child.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/test/testing.h"
#include "source/lmt/hdf5_alive.h"
#include "source/lmt/test/series_maker.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static char dir[] = "/tmp/baro-hdf5-child.XXXXXX";
static char path[64];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(path, sizeof path, "%s/day.h5lmt", dir);
    return make_h5lmt(path, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(dir);
}

struct opened {
    void *state;
    const struct lmt_format *format;
};

static void opened_done(struct opened *o)
{
    if (o->format)
        o->format->close(o->state);
}
DEFINE_AUTO_DONE(struct opened, opened_done);

static void open_with(int64_t wall_ns, struct opened *ret)
{
    struct hdf5_limits limits = hdf5_limits_of(0);
    const struct lmt_opts opts = { 0 };
    struct err err = { 0 };
    if (wall_ns)
        limits.wall_ns = wall_ns;
    *ret = (struct opened){ 0 };
    if (hdf5_child_open(path, &opts, &limits, &ret->state, &ret->format, &err) < 0)
        fail_msg("%s", err.text);
}

static int times_of(const struct opened *o, struct err *err)
{
    int64_t from_s = 0, to_s = 0;
    *err = (struct err){ 0 };
    int rc = o->format->times(o->state, LMT_WRITE_BYTES, &from_s, &to_s, err);
    if (rc == 0)
        assert_true(to_s > from_s && from_s > 0);
    return rc;
}

/* The error names the file, what happened, and what to do. */
static void assert_says(const struct err *err, const char *what)
{
    if (!strstr(err->text, path) || !strstr(err->text, what) ||
        !strstr(err->text, "h5dump"))
        fail_msg("'%s' does not say '%s'", err->text, what);
}

static void a_child_that_crashes_is_an_error(void **state)
{
    (void)state;
    AUTO(opened_done) struct opened o;
    struct err err;
    open_with(0, &o);
    assert_int_equal(times_of(&o, &err), 0);
    assert_int_equal(kill(hdf5_child_pid(o.state), SIGSEGV), 0);
    assert_int_equal(times_of(&o, &err), -EBADMSG);
    assert_says(&err, "libhdf5 crashed in it (Segmentation fault)");
    assert_int_equal(times_of(&o, &err), -EBADMSG); /* and stays one */
    assert_says(&err, "libhdf5 crashed in it");
    assert_int_equal(o.format->step(o.state, LMT_WRITE_BYTES), 0);
    assert_int_equal(hdf5_child_pid(o.state), 0);
}

static void a_loop_is_an_error(void **state)
{
    (void)state;
    AUTO(opened_done) struct opened o;
    struct err err;
    open_with(0, &o);
    assert_int_equal(kill(hdf5_child_pid(o.state), SIGXCPU), 0);
    assert_int_equal(times_of(&o, &err), -EBADMSG);
    assert_says(&err, "s of CPU time");
}

static void a_child_that_does_not_respond_is_an_error(void **state)
{
    (void)state;
    AUTO(opened_done) struct opened o;
    struct err err;
    open_with(50 * NS_PER_MS, &o);
    pid_t child = hdf5_child_pid(o.state);
    assert_int_equal(kill(child, SIGSTOP), 0);
    assert_int_equal(times_of(&o, &err), -EBADMSG);
    assert_says(&err, "no response of libhdf5 in time");
    assert_int_equal(kill(child, 0), -1); /* and is gone */
}

#if defined(__x86_64__) || defined(__aarch64__)
/* As a container or a service may: in this process, one system call is refused. */
static bool refuse(uint32_t call)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { .len = COUNT_OF(code), .filter = code };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* In a process of its own: an exit status. */
static int open_with_refused(uint32_t call)
{
    const struct hdf5_limits limits = hdf5_limits_of(0);
    const struct lmt_opts opts = { 0 };
    const struct lmt_format *format;
    struct err err = { 0 };
    void *file;
    if (!refuse(call))
        return 1;
    if (hdf5_child_open(path, &opts, &limits, &file, &format, &err) != -EPERM)
        return 2;
    return strstr(err.text, path) && strstr(err.text, "cannot confine itself") &&
                   strstr(err.text, "Operation not permitted") &&
                   !strstr(err.text, "damaged")
               ? 0
               : 3;
}
#endif

static void a_child_that_cannot_confine_itself_says_nothing_of_the_file(void **state)
{
    (void)state;
#if defined(__x86_64__) || defined(__aarch64__)
    static const uint32_t calls[] = { __NR_prlimit64, __NR_prctl };
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        int status;
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            _exit(open_with_refused(calls[i]));
        assert_true(waitpid(pid, &status, 0) == pid);
        assert_int_equal(status, 0);
    }
#else
    skip(); /* the numbers of other processors are not known here */
#endif
}

static void a_closed_file_leaves_no_process(void **state)
{
    (void)state;
    pid_t child;
    {
        AUTO(opened_done) struct opened o;
        open_with(0, &o);
        child = hdf5_child_pid(o.state);
        assert_int_equal(kill(child, 0), 0);
    }
    assert_int_equal(kill(child, 0), -1);
    assert_int_equal(errno, ESRCH);
}

/* As the workers of a pool do, all at once, with what was opened before the fork. */
static void forked_processes_read_by_children_of_their_own(void **state)
{
    (void)state;
    enum { WORKERS = 4, ROUNDS = 50 };
    AUTO(opened_done) struct opened o;
    struct err err;
    open_with(0, &o);
    assert_int_equal(times_of(&o, &err), 0);
    pid_t child = hdf5_child_pid(o.state);
    pid_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = fork();
        assert_true(workers[i] >= 0);
        if (workers[i] > 0)
            continue;
        int failed = 0;
        for (int k = 0; k < ROUNDS; k++)
            failed += times_of(&o, &err) < 0;
        failed += hdf5_child_pid(o.state) == child;
        o.format->close(o.state);
        _exit(failed);
    }
    for (int i = 0; i < WORKERS; i++) {
        int status;
        assert_true(waitpid(workers[i], &status, 0) == workers[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(times_of(&o, &err), 0);
    assert_int_equal(hdf5_child_pid(o.state), child);
}

/* In a worker, with files that were opened before the fork: an exit status. */
static int read_in_turn(const struct opened *files, int count)
{
    struct err err;
    int failed = 0, alive = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < count; i++)
            failed += times_of(&files[i], &err) < 0;
    for (int i = 0; i < count; i++) {
        pid_t child = hdf5_child_pid(files[i].state);
        alive += child && kill(child, 0) == 0;
    }
    if (failed || alive < 1 || alive > HDF5_ALIVE_WORKER_MAX)
        return 1;
    /* One that crashed is an error of its file alone, and stays one. */
    const struct opened *last = &files[count - 1];
    if (kill(hdf5_child_pid(last->state), SIGSEGV) < 0 ||
        times_of(last, &err) != -EBADMSG)
        return 2;
    for (int i = 0; i < count - 1; i++)
        failed += times_of(&files[i], &err) < 0;
    return failed || times_of(last, &err) != -EBADMSG ? 3 : 0;
}

static void many_open_files_have_few_children_in_a_worker(void **state)
{
    (void)state;
    enum { FILES = 6 };
    struct opened files[FILES];
    struct err err;
    int status;
    for (int i = 0; i < FILES; i++)
        open_with(0, &files[i]);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(read_in_turn(files, FILES));
    assert_true(waitpid(pid, &status, 0) == pid);
    assert_int_equal(status, 0);
    for (int i = 0; i < FILES; i++) {
        assert_int_equal(times_of(&files[i], &err), 0);
        opened_done(&files[i]);
    }
}

static bool is_gone(pid_t pid)
{
    char name[64], line[256] = "";
    (void)snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(name, "re");
    if (!file)
        return true;
    const char *end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    (void)fclose(file);
    return !end || end[2] == 'Z'; /* who reaps it is not our concern */
}

static void the_child_dies_with_its_parent(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        struct opened o;
        open_with(0, &o);
        pid_t child = hdf5_child_pid(o.state);
        (void)!write(fds[1], &child, sizeof child);
        (void)kill(getpid(), SIGKILL);
    }
    pid_t child = 0;
    int status;
    assert_int_equal(read(fds[0], &child, sizeof child), sizeof child);
    assert_true(waitpid(parent, &status, 0) == parent);
    (void)close(fds[0]);
    (void)close(fds[1]);
    int64_t until_ns = clock_monotonic_ns() + 60 * NS_PER_S;
    while (!is_gone(child) && clock_monotonic_ns() < until_ns)
        (void)usleep(1000);
    assert_true(is_gone(child));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_that_crashes_is_an_error),
        cmocka_unit_test(a_loop_is_an_error),
        cmocka_unit_test(a_child_that_does_not_respond_is_an_error),
        cmocka_unit_test(a_child_that_cannot_confine_itself_says_nothing_of_the_file),
        cmocka_unit_test(a_closed_file_leaves_no_process),
        cmocka_unit_test(forked_processes_read_by_children_of_their_own),
        cmocka_unit_test(many_open_files_have_few_children_in_a_worker),
        cmocka_unit_test(the_child_dies_with_its_parent),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
