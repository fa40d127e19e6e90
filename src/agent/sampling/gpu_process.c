/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_process - the process that reads GPUs (baro-gpu-read), seen from the agent. */
#include "agent/sampling/gpu_process.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define PIECE_BYTES 16384

/* ---- start and end ---- */

static int process_spawn(const char *program, const char *library, int fd, pid_t *ret)
{
    char option[] = "--library";
    char *argv[] = { (char *)(uintptr_t)program, option, (char *)(uintptr_t)library,
                     NULL };
    char *environment[] = { NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setflags(&attributes,
                                   POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    (void)posix_spawnattr_setsigdefault(&attributes, &all);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    int rc = posix_spawn(ret, program, &actions, &attributes, argv, environment);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return -rc;
}

int gpu_process_start(struct gpu_process *p, const char *program, const char *library,
                      struct err *err)
{
    int ends[2];
    if (!gpu_process_is_gone(p))
        return err_set(err, EBUSY, "the process before hangs in the kernel");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return err_set(err, errno, "socketpair: %s", strerror(errno));
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    int rc = process_spawn(program, library, ends[1], &p->pid);
    (void)close(ends[1]);
    if (rc < 0) {
        (void)close(ends[0]);
        p->pid = 0;
        return err_set(err, -rc, "start '%s': %s", program, strerror(-rc));
    }
    p->fd = ends[0];
    p->is_busy = false;
    p->line_size = 0;
    return 0;
}

bool gpu_process_is_gone(struct gpu_process *p)
{
    if (p->leaving && waitpid(p->leaving, NULL, WNOHANG) != 0)
        p->leaving = 0;
    return p->leaving == 0;
}

void gpu_process_end(struct gpu_process *p)
{
    auto_close(&p->fd);
    p->fd = -1;
    p->is_busy = false;
    if (p->pid > 0) {
        (void)kill(p->pid, SIGKILL);
        p->leaving = p->pid; /* start saw that there is none before */
    }
    p->pid = 0;
    (void)gpu_process_is_gone(p);
}

/* ---- a reading ---- */

int gpu_process_request(struct gpu_process *p)
{
    char text[NUMBER_DIGITS_MAX + 8] = "read ";
    size_t size = strlen(text);
    size += number_print_u64(text + size, ++p->request);
    text[size++] = '\n';
    ssize_t n = send(p->fd, text, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n != (ssize_t)size)
        return n < 0 ? -errno : -EAGAIN;
    p->is_busy = true;
    p->line_count = 0;
    p->complaint[0] = '\0';
    return 0;
}

static int gpu_line_read(struct gpu_process *p,
                         void (*value)(void *arg, const struct gpu_value *value),
                         void *arg)
{
    struct gpu_line line;
    struct span text = { p->line, p->line_size };
    p->line_size = 0;
    if (!p->is_busy || p->line_count++ == GPU_LINES_MAX ||
        gpu_line_parse(text, &line) < 0)
        return -EBADMSG;
    switch (line.kind) {
    case GPU_LINE_VALUE:
        value(arg, &line.value);
        return 0;
    case GPU_LINE_ERROR:
        if (!p->complaint[0])
            (void)snprintf(p->complaint, sizeof p->complaint, SPAN_FMT,
                           SPAN_ARG(line.text));
        return 0;
    default:
        p->is_busy = false;
        return line.request == p->request ? 0 : -EBADMSG;
    }
}

int gpu_process_receive(struct gpu_process *p,
                        void (*value)(void *arg, const struct gpu_value *value),
                        void *arg)
{
    char piece[PIECE_BYTES];
    ssize_t n = recv(p->fd, piece, sizeof piece, MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    if (n == 0)
        return -EPIPE;
    for (ssize_t i = 0; i < n; i++) {
        if (piece[i] != '\n') {
            if (p->line_size == sizeof p->line)
                return -EBADMSG;
            p->line[p->line_size++] = piece[i];
            continue;
        }
        int rc = gpu_line_read(p, value, arg);
        if (rc < 0)
            return rc;
    }
    return 0;
}
