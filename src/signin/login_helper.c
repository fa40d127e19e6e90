/* SPDX-License-Identifier: Apache-2.0 */
/* login_helper - one password checked by the helper: a process, or a socket of one. */
#include "signin/login_helper.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNIX "unix:"

enum { REAP_TRIES = 100, REAP_PAUSE_US = 10000 };

void login_helper_init(struct login_helper *helper)
{
    (void)pthread_mutex_init(&helper->lock, NULL);
}

void login_helper_done(struct login_helper *helper)
{
    (void)pthread_mutex_destroy(&helper->lock);
}

static bool is_socket(const struct login_helper *helper)
{
    return span_starts(span_of(helper->path), UNIX);
}

int login_helper_examine(const struct login_helper *helper, struct err *err)
{
    struct sockaddr_un address;
    if (is_socket(helper))
        return strlen(helper->path + strlen(UNIX)) < sizeof address.sun_path
                   ? 0
                   : err_set(err, EINVAL, "helper: '%s' is too long", helper->path);
    if (access(helper->path, X_OK) == 0)
        return 0;
    return err_set(err, EINVAL,
                   "helper: '%s': %s: barod has to be built with -Dpam=enabled for "
                   "sign-in",
                   helper->path, strerror(errno));
}

/* ---- a process ---- */

/* Those that were left and have ended by now. */
static int left_add(struct login_helper *helper, pid_t pid)
{
    LOCKED(&helper->lock);
    int rc = -EAGAIN;
    for (size_t i = 0; i < LOGIN_LEFT_MAX; i++) {
        if (helper->left[i] > 0 && waitpid(helper->left[i], NULL, WNOHANG) != 0)
            helper->left[i] = 0;
        if (helper->left[i] == 0 && rc < 0) {
            helper->left[i] = pid;
            rc = 0;
        }
    }
    return rc;
}

/* With all that it started: it leads a session of its own, whose id is no other's until
 * it is reaped here, also where it crashed and what it started goes on.  One that
 * had ended already has its own status.  Returns the status; -1: it was left. */
static int process_end(struct login_helper *helper, pid_t pid)
{
    int status = 0;
    (void)kill(-pid, SIGKILL);
    for (int i = 0; i < REAP_TRIES; i++) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid)
            return status;
        if (ended < 0 && errno != EINTR)
            return 0;
        (void)usleep(REAP_PAUSE_US);
    }
    (void)left_add(helper, pid);
    return -1;
}

static int actions_fill(posix_spawn_file_actions_t *actions, int fd)
{
    int rc = posix_spawn_file_actions_adddup2(actions, fd, STDIN_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(actions, fd, STDOUT_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null",
                                              O_WRONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    return rc;
}

static int attributes_fill(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    int rc = posix_spawnattr_setsigmask(attributes, &none);
    if (rc == 0)
        rc = posix_spawnattr_setsigdefault(attributes, &all);
    if (rc == 0)
        rc = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID |
                                                      POSIX_SPAWN_SETSIGMASK |
                                                      POSIX_SPAWN_SETSIGDEF);
    return rc;
}

static int process_spawn(const struct login_helper *helper, int fd, pid_t *ret)
{
    char *arguments[] = {
        (char *)(uintptr_t)helper->path,
        (char *)(uintptr_t)helper->service,
        (char *)(uintptr_t)(*helper->directory ? helper->directory : NULL),
        NULL,
    };
    char *environment[] = { (char[]){ "PATH=/usr/sbin:/usr/bin:/sbin:/bin" },
                            (char[]){ "LC_ALL=C.UTF-8" }, NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0)
        return rc;
    rc = posix_spawnattr_init(&attributes);
    if (rc == 0) {
        rc = actions_fill(&actions, fd);
        if (rc == 0)
            rc = attributes_fill(&attributes);
        if (rc == 0)
            rc = posix_spawn(ret, helper->path, &actions, &attributes, arguments,
                             environment);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static int process_start(struct login_helper *helper, int *ret_fd, pid_t *ret_pid,
                         struct err *err)
{
    int fds[2];
    if (left_add(helper, 0) < 0)
        return err_set(err, EAGAIN, "%d helpers hang and cannot be killed",
                       LOGIN_LEFT_MAX);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
        return err_set(err, errno, "a pair of sockets: %s", strerror(errno));
    int rc = process_spawn(helper, fds[1], ret_pid);
    (void)close(fds[1]);
    if (rc != 0) {
        (void)close(fds[0]);
        return err_set(err, rc, "start '%s': %s", helper->path, strerror(rc));
    }
    *ret_fd = fds[0];
    return 0;
}

/* ---- a socket ---- */

static int socket_connect(const struct login_helper *helper, int *ret_fd,
                          struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *path = helper->path + strlen(UNIX);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) < 0)
        return err_set(err, errno, "connect to '%s': %s", path, strerror(errno));
    *ret_fd = fd;
    fd = -1;
    return 0;
}

/* ---- question and result ---- */

/* Until fd can be read or written.  Errors: -ETIMEDOUT, -ECANCELED. */
static int wait_for(const struct login_helper *helper, int fd, short events,
                    int64_t end_ns)
{
    for (;;) {
        int64_t left_ns = end_ns - clock_monotonic_ns();
        struct pollfd polls[] = { { fd, events, 0 }, { helper->stop_fd, POLLIN, 0 } };
        if (left_ns <= 0)
            return -ETIMEDOUT;
        int count = poll(polls, COUNT_OF(polls), (int)(left_ns / NS_PER_MS) + 1);
        if (count < 0 && errno != EINTR)
            return -errno;
        if (count > 0 && polls[1].revents)
            return -ECANCELED;
        if (count > 0 && polls[0].revents)
            return 0;
    }
}

static int question_send(const struct login_helper *helper, int fd, struct span text,
                         int64_t end_ns)
{
    while (text.size > 0) {
        int rc = wait_for(helper, fd, POLLOUT, end_ns);
        if (rc < 0)
            return rc;
        ssize_t sent = send(fd, text.data, text.size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (sent < 0)
            return -EBADMSG; /* it has ended */
        text = span_skip(text, (size_t)sent);
    }
    return shutdown(fd, SHUT_WR) < 0 ? -EBADMSG : 0;
}

/* To its line end: a process that a module left behind may hold the other end open. */
static int result_receive(const struct login_helper *helper, int fd, int64_t end_ns,
                          struct login_result *ret)
{
    char text[LOGIN_RESPONSE_BYTES_MAX];
    size_t size = 0;
    while (size < sizeof text && !(size > 0 && text[size - 1] == '\n')) {
        int rc = wait_for(helper, fd, POLLIN, end_ns);
        if (rc < 0)
            return rc;
        ssize_t got = recv(fd, text + size, sizeof text - size, MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got <= 0)
            break;
        size += (size_t)got;
    }
    return login_result_parse((struct span){ text, size }, ret);
}

static int describe_failure(const struct login_helper *helper, int rc, int status,
                            struct err *err)
{
    if (rc == -ETIMEDOUT)
        return err_set(err, ETIMEDOUT, "PAM service '%s': no result within %lld s",
                       helper->service, (long long)(helper->timeout_ns / NS_PER_S));
    if (rc == -ECANCELED)
        return err_set(err, ECANCELED, "stopping");
    if (rc == -EBADMSG && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        return err_set(err, EBADMSG, "PAM service '%s': the helper was ended by %s",
                       helper->service, strsignal(WTERMSIG(status)));
    return err_set(err, -rc, "PAM service '%s': the helper gave no result",
                   helper->service);
}

int login_helper_check(struct login_helper *helper, struct span question,
                       struct login_result *ret, struct err *err)
{
    AUTO_CLOSE int fd = -1;
    pid_t pid = 0;
    int status = 0;
    int64_t end_ns = clock_monotonic_ns() + helper->timeout_ns;
    int rc = is_socket(helper) ? socket_connect(helper, &fd, err)
                               : process_start(helper, &fd, &pid, err);
    if (rc < 0)
        return rc;
    rc = question_send(helper, fd, question, end_ns);
    if (rc == 0)
        rc = result_receive(helper, fd, end_ns, ret);
    if (pid > 0) {
        /* One that crashes has ended after that, and its signal is worth a line. */
        (void)usleep(rc == -EBADMSG ? REAP_PAUSE_US : 0);
        status = process_end(helper, pid);
    }
    return rc < 0 ? describe_failure(helper, rc, status, err) : 0;
}
