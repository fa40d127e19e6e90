/* SPDX-License-Identifier: Apache-2.0 */
/* child - a program that talks to a BMC, confined, with a deadline. */
#include "bmc/child.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define MESSAGE_BYTES_MAX ((size_t)4096)
#define PATH_OF_PROGRAMS "/usr/sbin:/usr/bin:/sbin:/bin"

/* ---- before it is the program: no memory is allocated, other threads were forked off
 * ---- */

static void child_limit(__rlimit_resource_t what, rlim_t value)
{
    const struct rlimit limit = { value, value };
    (void)setrlimit(what, &limit);
}

static void child_become(const char *const *argv, int fd, int out, int messages)
{
    static const char *const environment[] = { "PATH=" PATH_OF_PROGRAMS, "LC_ALL=C",
                                               NULL };
    sigset_t none;
    int null = open("/dev/null", O_RDWR);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)setpgid(0, 0);
    if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(messages, 2) < 0 ||
        (fd == CHILD_FD ? fcntl(fd, F_SETFD, 0) : dup2(fd, CHILD_FD)) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        _exit(126);
    child_limit(RLIMIT_AS, (rlim_t)256 << 20);
    child_limit(RLIMIT_CPU, 30);
    child_limit(RLIMIT_FSIZE, MESSAGE_BYTES_MAX); /* of messages */
    child_limit(RLIMIT_CORE, 0);
    child_limit(RLIMIT_NOFILE, 64);
    (void)execvpe(argv[0], (char *const *)(uintptr_t)argv,
                  (char *const *)(uintptr_t)environment);
    _exit(127);
}

/* ---- the parent ---- */

static int output_read(int fd, int64_t until_ns, struct strbuf *out)
{
    char bytes[4096];
    for (;;) {
        int64_t left_ms = (until_ns - clock_monotonic_ns()) / NS_PER_MS;
        struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
        int ready = left_ms > 0 ? poll(&poll_fd, 1, (int)left_ms) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return ready < 0 ? -errno : -ETIMEDOUT;
        ssize_t size = read(fd, bytes, sizeof bytes);
        if (size <= 0)
            return size < 0 ? -errno : 0;
        if (out->size + (size_t)size > CHILD_OUTPUT_BYTES_MAX)
            return -EMSGSIZE;
        strbuf_add(out, bytes, (size_t)size);
    }
}

static int child_wait(pid_t pid, int64_t until_ns, int *ret_status)
{
    const struct timespec pause = { .tv_nsec = 2 * NS_PER_MS };
    pid_t ended;
    while ((ended = waitpid(pid, ret_status, WNOHANG)) == 0) {
        if (clock_monotonic_ns() >= until_ns)
            return -ETIMEDOUT;
        (void)nanosleep(&pause, NULL);
    }
    return ended == pid ? 0 : -errno;
}

static int child_failed(const char *program, int messages, int status, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (lseek(messages, 0, SEEK_SET) == 0)
        (void)file_read_fd(messages, MESSAGE_BYTES_MAX, &text);
    struct span line, rest = span_trim(strbuf_span(&text));
    (void)span_cut(&rest, '\n', &line);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return err_set(err, ENOENT, "%s: there is no such program", program);
    return err_set(err, EIO, "%s: %.*s (status %d)", program,
                   (int)(line.size < 200 ? line.size : 200), line.size ? line.data : "",
                   WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int child_run(const char *const *argv, int fd, int64_t until_ns, struct strbuf *out,
              struct err *err)
{
    AUTO_CLOSE int messages = memfd_create("messages", MFD_CLOEXEC);
    int ends[2], status = 0;
    if (messages < 0 || pipe2(ends, O_CLOEXEC) < 0)
        return err_set(err, errno, "%s: %s", argv[0], strerror(errno));
    AUTO_CLOSE int reading = ends[0];
    pid_t pid = fork();
    if (pid == 0)
        child_become(argv, fd, ends[1], messages);
    int errnum = errno;
    (void)close(ends[1]);
    if (pid < 0)
        return err_set(err, errnum, "%s: %s", argv[0], strerror(errnum));
    int rc = output_read(reading, until_ns, out);
    if (rc == 0)
        rc = child_wait(pid, until_ns, &status);
    if (rc < 0) {
        (void)kill(-pid, SIGKILL);
        (void)kill(pid, SIGKILL); /* before it had a group of its own */
        (void)waitpid(pid, &status, 0);
        return err_set(err, -rc, "%s: %s", argv[0],
                       rc == -ETIMEDOUT  ? "no response in time"
                       : rc == -EMSGSIZE ? "it prints too much"
                                         : strerror(-rc));
    }
    if (status != 0)
        return child_failed(argv[0], messages, status, err);
    return strbuf_error(out);
}

bool child_find(const char *program)
{
    struct span rest = SPAN(PATH_OF_PROGRAMS), directory;
    while (rest.size > 0) {
        char path[256];
        (void)span_cut(&rest, ':', &directory);
        (void)snprintf(path, sizeof path, SPAN_FMT "/%s", SPAN_ARG(directory), program);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}
