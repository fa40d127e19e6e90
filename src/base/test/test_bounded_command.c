/* SPDX-License-Identifier: Apache-2.0 */
/* test_bounded_command - a program with a deadline, bounded output and an end that is
 * known. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/bounded_command.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const environment[] = { "PATH=/usr/bin:/bin", "HERE=its own", NULL };

static struct bounded_command_opts opts_of(const char *const *argv, int64_t for_ms)
{
    return (struct bounded_command_opts){
        .argv = argv,
        .path = BOUNDED_COMMAND_PATH,
        .environment = environment,
        .until_ns = clock_monotonic_ns() + for_ms * NS_PER_MS,
        .output_bytes_max = 1024,
        .message_bytes_max = 16,
    };
}

static struct bounded_command *run_script(const char *script, int64_t for_ms)
{
    const char *const argv[] = { "sh", "-c", script, NULL };
    const struct bounded_command_opts opts = opts_of(argv, for_ms);
    struct bounded_command *command = NULL;
    struct err err = { 0 };
    if (bounded_command_run(&opts, &command, &err) < 0)
        fail_msg("%s: %s", script, err.text);
    return command;
}

static bool is_alive(pid_t pid)
{
    char path[64];
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (file_read(path, 4096, &text, NULL) < 0)
        return false;
    const char *state = strrchr(strbuf_text(&text), ')');
    return state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

/* A pid that a script wrote; -1: none. */
static pid_t pid_of(const char *name)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    uint64_t pid;
    if (file_read(scratch_path(name), 64, &text, NULL) < 0 ||
        number_parse_u64(span_trim(strbuf_span(&text)), &pid) < 0)
        return -1;
    return (pid_t)pid;
}

static void is_gone(const char *name)
{
    pid_t pid = pid_of(name);
    assert_true(pid > 1);
    for (int i = 0; i < 200 && is_alive(pid); i++)
        (void)usleep(10000);
    if (is_alive(pid))
        fail_msg("%s: process %d is alive", name, (int)pid);
}

static void the_ends_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        int64_t for_ms;
        enum bounded_command_kind kind;
        int number, rc;
        const char *text;
    } cases[] = {
        { "echo yes", 20000, BOUNDED_COMMAND_EXITED, 0, 0, "" },
        { "echo no >&2; exit 3", 20000, BOUNDED_COMMAND_EXITED, 3, -EIO,
          "sh: no (status 3)" },
        { "exit 127", 20000, BOUNDED_COMMAND_EXITED, 127, -EIO, "sh:  (status 127)" },
        { "kill -TERM $$", 20000, BOUNDED_COMMAND_SIGNALLED, SIGTERM, -EIO,
          "sh:  (signal 15)" },
        { "kill -KILL $$", 20000, BOUNDED_COMMAND_SIGNALLED, SIGKILL, -EIO,
          "sh:  (signal 9)" },
        { "exec sleep 60", 100, BOUNDED_COMMAND_DEADLINE, 0, -ETIMEDOUT,
          "sh: no response in time" },
        { "exec >&- 2>&-; exec sleep 60", 100, BOUNDED_COMMAND_DEADLINE, 0, -ETIMEDOUT,
          "sh: no response in time" },
        { "trap '' TERM INT HUP; while :; do sleep 1; done", 100,
          BOUNDED_COMMAND_DEADLINE, 0, -ETIMEDOUT, "sh: no response in time" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        AUTO(bounded_command_free)
        struct bounded_command *command = run_script(cases[i].script, cases[i].for_ms);
        const struct bounded_command_end *end = bounded_command_end(command);
        int rc = bounded_command_check(command, "sh", &err);
        if (end->kind != cases[i].kind || end->number != cases[i].number ||
            rc != cases[i].rc || strcmp(err.text, cases[i].text) != 0)
            fail_msg("%s: kind %d, number %d, %d: %s", cases[i].script, end->kind,
                     end->number, rc, err.text);
    }
}

static void what_is_no_program_is_not_started(void **state)
{
    (void)state;
    const char *const missing[] = { "no-such-program", NULL };
    const char *const file[] = { scratch_path("no-program"), NULL };
    const char *const away[] = { "/no/such/program", NULL };
    struct bounded_command_opts opts = opts_of(missing, 20000);
    struct bounded_command *command = NULL;
    struct err err = { 0 };
    assert_int_equal(file_replace(file[0], "x", 1, 0644, NULL), 0);
    assert_int_equal(bounded_command_run(&opts, &command, &err), -ENOENT);
    assert_string_equal(err.text, "no-such-program: there is no such program");
    opts.argv = file;
    assert_int_equal(bounded_command_run(&opts, &command, &err), -EACCES);
    opts.argv = away;
    opts.path = NULL;
    assert_int_equal(bounded_command_run(&opts, &command, &err), 0);
    assert_int_equal(bounded_command_end(command)->kind, BOUNDED_COMMAND_NOT_STARTED);
    assert_int_equal(bounded_command_end(command)->number, ENOENT);
    assert_int_equal(bounded_command_check(command, "it", &err), -ENOENT);
    bounded_command_free(command);
    opts = opts_of((const char *const[]){ "true", NULL }, 20000);
    opts.directory = "/no/such/directory";
    assert_int_equal(bounded_command_run(&opts, &command, &err), 0);
    assert_int_equal(bounded_command_end(command)->kind, BOUNDED_COMMAND_NOT_STARTED);
    bounded_command_free(command);
}

static void what_is_over_the_bounds_is_counted(void **state)
{
    (void)state;
    AUTO(bounded_command_free)
    struct bounded_command *command = run_script(
        "head -c 300000 /dev/zero | tr '\\0' x; printf 12345678901234567890 >&2",
        20000);
    const struct bounded_command_end *end = bounded_command_end(command);
    struct err err = { 0 };
    assert_int_equal(end->kind, BOUNDED_COMMAND_EXITED);
    assert_int_equal(end->output.size, 1024);
    assert_int_equal(end->output_cut, 300000 - 1024);
    assert_int_equal(end->messages.size, 16);
    assert_int_equal(end->message_cut, 4);
    assert_int_equal(bounded_command_check(command, "sh", &err), -EMSGSIZE);
}

static void over_the_bound_it_is_killed_where_that_is_wanted(void **state)
{
    (void)state;
    const char *const argv[] = { "yes", NULL };
    struct bounded_command_opts opts = opts_of(argv, 20000);
    AUTO(bounded_command_free) struct bounded_command *command = NULL;
    struct err err = { 0 };
    opts.ends_over_bound = true;
    assert_int_equal(bounded_command_run(&opts, &command, &err), 0);
    assert_int_equal(bounded_command_end(command)->kind, BOUNDED_COMMAND_OVER_BOUND);
    assert_int_equal(bounded_command_check(command, "yes", &err), -EMSGSIZE);
}

static void the_deadline_is_also_that_of_its_descendants(void **state)
{
    (void)state;
    char script[600];
    (void)snprintf(script, sizeof script,
                   "cd %s; sleep 600 & echo $! >child; "
                   "setsid sh -c 'sleep 600 & echo $! >grandchild; wait' & "
                   "while [ ! -s grandchild ]; do sleep 0.05; done; wait",
                   scratch);
    AUTO(bounded_command_free)
    struct bounded_command *command = run_script(script, 3000);
    assert_int_equal(bounded_command_end(command)->kind, BOUNDED_COMMAND_DEADLINE);
    is_gone("child");
    is_gone("grandchild"); /* of another group and session */
}

static void its_end_is_that_of_its_first_process(void **state)
{
    (void)state;
    char script[200];
    int64_t before_ns = clock_monotonic_ns();
    (void)snprintf(script, sizeof script, "cd %s; sleep 600 & echo $! >left; echo done",
                   scratch);
    AUTO(bounded_command_free)
    struct bounded_command *command = run_script(script, 60000);
    assert_int_equal(bounded_command_end(command)->kind, BOUNDED_COMMAND_EXITED);
    assert_string_equal(strbuf_text(&bounded_command_end(command)->output), "done\n");
    assert_true(clock_monotonic_ns() - before_ns < 30 * NS_PER_S);
    is_gone("left");
}

static void a_free_kills_what_runs(void **state)
{
    (void)state;
    char script[200];
    (void)snprintf(script, sizeof script, "cd %s; echo $$ >freed; exec sleep 600",
                   scratch);
    const char *const argv[] = { "sh", "-c", script, NULL };
    const struct bounded_command_opts opts = opts_of(argv, 60000);
    struct bounded_command *command = NULL;
    assert_int_equal(bounded_command_start(&opts, &command, NULL), 0);
    for (int i = 0; i < 500 && pid_of("freed") < 0; i++)
        (void)usleep(10000);
    bounded_command_free(command);
    is_gone("freed");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie */
    assert_int_equal(errno, ECHILD);
}

static void it_has_nothing_of_ours(void **state)
{
    (void)state;
    int open_fd = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */
    sigset_t set;
    assert_true(open_fd >= 0);
    (void)signal(SIGUSR1, SIG_IGN);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR2);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)setenv("BARO_SECRET", "x", 1);
    AUTO(bounded_command_free)
    struct bounded_command *command = run_script(
        "ls /proc/self/fd | tr '\\n' ' '; echo; env | grep -c SECRET; echo $HERE; "
        "grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -d '\\n\\t'; "
        "[ $(ps -o pgid= -p $$) = $$ ] && echo group",
        20000);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    (void)signal(SIGUSR1, SIG_DFL);
    (void)close(open_fd);
    /* 3 is the directory that ls reads. */
    assert_string_equal(strbuf_text(&bounded_command_end(command)->output),
                        "0 1 2 3 \n0\nits own\nSigBlk:0000000000000000"
                        "SigIgn:0000000000000000group\n");
}

static void one_descriptor_is_passed_on(void **state)
{
    (void)state;
    const char *const argv[] = { "cat", BOUNDED_COMMAND_FD_PATH, NULL };
    struct bounded_command_opts opts = opts_of(argv, 20000);
    AUTO(bounded_command_free) struct bounded_command *command = NULL;
    char path[FILE_OF_TEXT_PATH_SIZE];
    int fd = -1;
    assert_int_equal(file_of_text(SPAN("password\n"), &fd, path, NULL), 0);
    opts.has_fd = true;
    opts.fd = fd;
    assert_int_equal(bounded_command_run(&opts, &command, NULL), 0);
    (void)close(fd);
    assert_string_equal(strbuf_text(&bounded_command_end(command)->output),
                        "password\n");
}

static void limits_hold(void **state)
{
    (void)state;
    static const struct bounded_limit limits[] = { { RLIMIT_NOFILE, 20 } };
    const char *const argv[] = {
        "sh", "-c", "ulimit -n; ulimit -Hn; pwd; grep NoNew /proc/self/status", NULL
    };
    struct bounded_command_opts opts = opts_of(argv, 20000);
    AUTO(bounded_command_free) struct bounded_command *command = NULL;
    opts.limits = limits;
    opts.limit_count = COUNT_OF(limits);
    opts.directory = "/usr";
    opts.gains_nothing = true;
    assert_int_equal(bounded_command_run(&opts, &command, NULL), 0);
    assert_string_equal(strbuf_text(&bounded_command_end(command)->output),
                        "20\n20\n/usr\nNoNewPrivs:\t1\n");
}

static void several_run_at_once(void **state)
{
    (void)state;
    static const char *const scripts[] = { "sleep 60", "exit 4", "sleep 0.3; exit 5" };
    struct bounded_command *commands[COUNT_OF(scripts) + 1] = { 0 }; /* one is none */
    for (size_t i = 0; i < COUNT_OF(scripts); i++) {
        const char *const argv[] = { "sh", "-c", scripts[i], NULL };
        const struct bounded_command_opts opts = opts_of(argv, i == 0 ? 3000 : 20000);
        assert_int_equal(bounded_command_start(&opts, &commands[i], NULL), 0);
    }
    assert_int_equal(bounded_command_wait(commands, COUNT_OF(commands)), 1);
    assert_int_equal(bounded_command_wait(commands, COUNT_OF(commands)), 2);
    assert_int_equal(bounded_command_wait(commands, COUNT_OF(commands)), 0);
    assert_int_equal(bounded_command_wait(commands, COUNT_OF(commands)), 4);
    assert_int_equal(bounded_command_end(commands[0])->kind, BOUNDED_COMMAND_DEADLINE);
    assert_int_equal(bounded_command_end(commands[1])->number, 4);
    assert_int_equal(bounded_command_end(commands[2])->number, 5);
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        bounded_command_free(commands[i]);
}

static void *allocate(void *arg)
{
    const bool *ends = arg;
    while (!__atomic_load_n(ends, __ATOMIC_RELAXED))
        free(malloc(4096));
    return NULL;
}

/* A lock of the allocator that another thread held at fork() is never released. */
static void other_threads_do_not_hold_it_up(void **state)
{
    (void)state;
    bool ends = false;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, allocate, &ends), 0);
    for (int i = 0; i < 50; i++) {
        AUTO(bounded_command_free)
        struct bounded_command *command = run_script("exit 0", 20000);
        assert_int_equal(bounded_command_end(command)->kind, BOUNDED_COMMAND_EXITED);
    }
    __atomic_store_n(&ends, true, __ATOMIC_RELAXED);
    (void)pthread_join(thread, NULL);
}

/* kill -9 of the one that started it. */
static void it_ends_with_its_parent_where_that_is_wanted(void **state)
{
    (void)state;
    char script[200];
    (void)snprintf(script, sizeof script, "cd %s; echo $$ >orphan; exec sleep 600",
                   scratch);
    pid_t parent = fork();
    if (parent == 0) {
        const char *const argv[] = { "sh", "-c", script, NULL };
        struct bounded_command_opts opts = opts_of(argv, 60000);
        struct bounded_command *command = NULL;
        opts.ends_with_us = true;
        _exit(bounded_command_run(&opts, &command, NULL));
    }
    for (int i = 0; i < 500 && pid_of("orphan") < 0; i++)
        (void)usleep(10000);
    assert_true(is_alive(pid_of("orphan")));
    (void)kill(parent, SIGKILL);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    is_gone("orphan");
}

static void a_poll_does_not_wait_and_has_deadlines(void **state)
{
    const char *const argv[] = { "sleep", "600", NULL };
    const struct bounded_command_opts opts = opts_of(argv, 300);
    struct bounded_command *commands[2] = { NULL, NULL };
    (void)state;
    assert_int_equal(bounded_command_poll(commands, 2), 2);
    assert_int_equal(bounded_command_start(&opts, &commands[1], NULL), 0);
    int64_t begin_ns = clock_monotonic_ns();
    assert_int_equal(bounded_command_poll(commands, 2), 2);
    assert_true(clock_monotonic_ns() - begin_ns < 200 * NS_PER_MS);
    (void)usleep(400000);
    assert_int_equal(bounded_command_poll(commands, 2), 1);
    assert_int_equal(bounded_command_end(commands[1])->kind, BOUNDED_COMMAND_DEADLINE);
    assert_int_equal(bounded_command_poll(commands, 2), 2); /* those before: left out */
    bounded_command_free(commands[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ends_are_told_apart),
        cmocka_unit_test(what_is_no_program_is_not_started),
        cmocka_unit_test(what_is_over_the_bounds_is_counted),
        cmocka_unit_test(over_the_bound_it_is_killed_where_that_is_wanted),
        cmocka_unit_test(the_deadline_is_also_that_of_its_descendants),
        cmocka_unit_test(its_end_is_that_of_its_first_process),
        cmocka_unit_test(a_free_kills_what_runs),
        cmocka_unit_test(it_has_nothing_of_ours),
        cmocka_unit_test(one_descriptor_is_passed_on),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(several_run_at_once),
        cmocka_unit_test(a_poll_does_not_wait_and_has_deadlines),
        cmocka_unit_test(other_threads_do_not_hold_it_up),
        cmocka_unit_test(it_ends_with_its_parent_where_that_is_wanted),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
