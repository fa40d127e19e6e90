/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_child - HDF5 read by a process of its own, which a damaged file may take down.
 */
#include "source/lmt/hdf5_child.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/confine.h"
#include "source/lmt/hdf5_alive.h"
#include "source/lmt/hdf5_frames.h"
#include "source/lmt/hdf5_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* A grid of the most cells, the same again as libhdf5 unpacks it, and what is missing.
 */
#define MEMORY_BYTES_MAX ((size_t)3 << 30)
#define CPU_S_MIN 10
#define CPU_FILE_BYTES ((uint64_t)8 << 20) /* a second more for each */
#define WALL_S_MIN 120
#define WALL_FILE_BYTES ((uint64_t)1 << 20)
#define END_WAIT_MS 2000
#define REMEDY                                                                   \
    "the file is probably damaged: h5dump shows more; copy it again from where " \
    "it came from, or leave it out"
#define UNCONFINED                                                                \
    "not read, and nothing is known of the file: the process that is to read it " \
    "cannot confine itself (%s); what forbids that is a limit, a container or "   \
    "a service's SystemCallFilter: allow prctl, seccomp, prlimit and close_range"

struct hdf5_child {
    struct hdf5_alive alive; /* the first field */
    char *path;
    struct lmt_opts opts;
    struct hdf5_limits limits;
    pid_t owner; /* that forked the child; another process has none */
    pid_t pid;   /* 0: none */
    struct hdf5_socket socket;
    bool is_broken; /* it has ended, for this reason */
    struct err reason;
    uint8_t *buffer;
};

struct hdf5_limits hdf5_limits_of(uint64_t file_bytes)
{
    const uint64_t far = UINT64_C(1) << 44;
    uint64_t bytes = file_bytes < far ? file_bytes : far;
    return (struct hdf5_limits){
        .cpu_s = CPU_S_MIN + (unsigned)(bytes / CPU_FILE_BYTES),
        .wall_ns = (WALL_S_MIN + (int64_t)(bytes / WALL_FILE_BYTES)) * NS_PER_S,
        .memory_bytes = MEMORY_BYTES_MAX,
    };
}

/* ---- in the child ---- */

static int child_read(void *arg, void *data, size_t size)
{
    (void)arg;
    for (char *at = data; size;) {
        ssize_t got = read(CONFINE_FD, at, size);
        if (got == 0 || (got < 0 && errno != EINTR))
            _exit(EXIT_OK); /* the parent has closed the file */
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

static int child_write(void *arg, const void *data, size_t size)
{
    (void)arg;
    int rc = file_write_all(CONFINE_FD, data, size);
    if (rc < 0)
        _exit(EXIT_OK);
    return 0;
}

static int child_grid(const struct lmt_format *format, void *state,
                      const struct hdf5_request *request, const struct hdf5_pipe *pipe,
                      struct err *err)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    lmt_grid_init(&grid, request->from_s, request->to_s);
    grid.start_s = request->start_s;
    grid.step_s = request->step_s;
    grid.row_count = (size_t)request->row_count;
    int rc = format->read(state, request->measure, &grid, err);
    return rc < 0 ? rc : hdf5_frames_write_grid(pipe, &grid);
}

static int child_respond(const struct lmt_format *format, void *state,
                         const struct hdf5_request *request,
                         const struct hdf5_pipe *pipe, struct err *err)
{
    int64_t from_s = 0, to_s = 0;
    switch (request->op) {
    case HDF5_OP_TIMES: {
        int rc = format->times(state, request->measure, &from_s, &to_s, err);
        return rc < 0 ? rc : hdf5_frames_write_times(pipe, from_s, to_s);
    }
    case HDF5_OP_STEP:
        return hdf5_frames_write_step(pipe, format->step(state, request->measure));
    default:
        return child_grid(format, state, request, pipe, err);
    }
}

static void child_run(const struct hdf5_child *c, const struct hdf5_pipe *pipe)
{
    struct err err = { 0 };
    void *state = NULL;
    const struct lmt_format *format = NULL;
    int rc = hdf5_here_open(c->path, &c->opts, &state, &format, &err);
    if (rc == 0)
        rc = hdf5_frames_write_opened(
            pipe, strcmp(format->name, "h5lmt") == 0 ? HDF5_H5LMT : HDF5_TOKIO);
    if (rc < 0) {
        (void)hdf5_frames_write_error(pipe, rc, &err);
        return;
    }
    for (;;) {
        struct hdf5_request request;
        (void)pipe->read(pipe->arg, &request, sizeof request);
        err = (struct err){ 0 };
        rc = confine_cpu(c->limits.cpu_s);
        if (rc == 0)
            rc = child_respond(format, state, &request, pipe, &err);
        if (rc < 0)
            (void)hdf5_frames_write_error(pipe, rc, &err);
    }
}

static void child_main(const struct hdf5_child *c, pid_t parent, int fd)
{
    const struct hdf5_pipe pipe = { .read = child_read,
                                    .write = child_write,
                                    .buffer = c->buffer };
    const struct confine_opts opts = { .parent = parent,
                                       .fd = fd,
                                       .memory_bytes = c->limits.memory_bytes };
    struct err err = { 0 };
    int rc = confine_child(&opts, &err);
    if (rc == 0 && (rc = confine_cpu(c->limits.cpu_s)) < 0)
        (void)err_set(&err, -rc, "a limit of CPU time: %s", strerror(-rc));
    if (rc < 0)
        (void)hdf5_frames_write_unconfined(&pipe, &err);
    else
        child_run(c, &pipe);
    _exit(EXIT_OK); /* nothing of the parent's is flushed or taken down */
}

/* ---- in the parent ---- */

/* How it ended; what does not end in time (in the kernel) is left to init. */
static bool child_end(struct hdf5_child *c, int *ret_status)
{
    (void)kill(c->pid, SIGKILL);
    bool has_ended = false;
    for (int ms = 0; !has_ended && ms < END_WAIT_MS; ms++) {
        pid_t pid = waitpid(c->pid, ret_status, WNOHANG);
        has_ended = pid == c->pid;
        if (pid < 0 && errno != EINTR)
            break;
        if (!has_ended)
            (void)poll(NULL, 0, 1);
    }
    (void)close(c->socket.fd);
    c->socket.fd = -1;
    c->pid = 0;
    return has_ended;
}

static void end_for_others(struct hdf5_alive *alive)
{
    int status;
    (void)child_end((struct hdf5_child *)(void *)alive, &status);
}

static void reason_of_end(struct hdf5_child *c, int status, bool has_ended)
{
    if (has_ended && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        (void)err_set(
            &c->reason, EBADMSG,
            "%s: libhdf5 was still busy with it after %u s of CPU time; " REMEDY,
            c->path, c->limits.cpu_s);
    else if (has_ended && WIFSIGNALED(status))
        (void)err_set(&c->reason, EBADMSG, "%s: libhdf5 crashed in it (%s); " REMEDY,
                      c->path, strsignal(WTERMSIG(status)));
    else
        (void)err_set(&c->reason, EBADMSG,
                      "%s: the process that reads it ended early (status %d); " REMEDY,
                      c->path, has_ended ? WEXITSTATUS(status) : -1);
}

/* The pipe has ended, or its end is waited for no longer. */
static int child_failed(struct hdf5_child *c, int rc, struct err *err)
{
    int status = 0;
    /* One that has ended by itself keeps the status that it has. */
    bool has_ended = false;
    if (rc == -EPIPE)
        for (int ms = 0; !has_ended && ms < END_WAIT_MS; ms++) {
            has_ended = waitpid(c->pid, &status, WNOHANG) == c->pid;
            if (!has_ended)
                (void)poll(NULL, 0, 1);
        }
    if (has_ended) {
        (void)close(c->socket.fd);
        c->socket.fd = -1;
        c->pid = 0;
        reason_of_end(c, status, true);
    } else {
        bool is_late = rc == -ETIMEDOUT;
        (void)child_end(c, &status);
        (void)err_set(&c->reason, EBADMSG, "%s: %s; " REMEDY, c->path,
                      is_late             ? "no response of libhdf5 in time"
                      : err && *err->text ? err->text
                                          : "the process that reads it failed");
    }
    c->is_broken = true;
    return err_set(err, EBADMSG, "%s", c->reason.text);
}

/* For one request, which has its deadline from now on. */
static struct hdf5_pipe pipe_of(struct hdf5_child *c)
{
    hdf5_socket_begin(&c->socket, c->limits.wall_ns);
    return (struct hdf5_pipe){ .read = hdf5_socket_read,
                               .write = hdf5_socket_write,
                               .arg = &c->socket,
                               .buffer = c->buffer };
}

static int child_fork(struct hdf5_child *c, struct err *err)
{
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
        return err_set(err, errno, "%s: socketpair: %s", c->path, strerror(errno));
    const pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0)
        child_main(c, parent, fds[1]);
    int error = errno;
    (void)close(fds[1]);
    if (pid < 0) {
        (void)close(fds[0]);
        return err_set(err, error, "%s: fork: %s%s", c->path, strerror(error),
                       error == EAGAIN ? " (a limit of processes: ulimit -u, TasksMax)"
                                       : "");
    }
    c->owner = parent;
    c->pid = pid;
    c->socket.fd = fds[0];
    return 0;
}

/* After an error that is not the child's own there is no telling what it sends next. */
static int child_judge(struct hdf5_child *c, const struct hdf5_pipe *pipe, int rc,
                       struct err *err)
{
    int status;
    if (rc == 0 || pipe->is_in_order)
        return rc;
    if (rc == -EPIPE || rc == -ETIMEDOUT || rc == -EPROTO)
        return child_failed(c, rc, err);
    (void)child_end(c, &status); /* memory of ours is out: another one may do */
    return rc;
}

static int child_start(struct hdf5_child *c, enum hdf5_layout *ret, struct err *err)
{
    int rc = child_fork(c, err);
    if (rc < 0)
        return rc;
    struct hdf5_pipe pipe = pipe_of(c);
    struct err own = { 0 };
    rc = hdf5_frames_read_opened(&pipe, ret, &own);
    rc = child_judge(c, &pipe, rc, &own);
    if (rc < 0 && c->pid) { /* what it says of the file or itself, and ends */
        int status;
        (void)child_end(c, &status);
    }
    if (rc == -EPERM)
        return err_set(err, EPERM, "%s: " UNCONFINED, c->path, own.text);
    if (rc < 0 && err)
        *err = own;
    return rc;
}

/* A child of this process, with the file open. */
static int child_get(struct hdf5_child *c, struct err *err)
{
    enum hdf5_layout layout;
    if (c->is_broken)
        return err_set(err, EBADMSG, "%s", c->reason.text);
    if (c->pid && c->owner == getpid())
        return 0;
    if (c->pid) { /* that of the process which forked this one */
        (void)close(c->socket.fd);
        c->socket.fd = -1;
        c->pid = 0;
    }
    return child_start(c, &layout, err);
}

/* Send the request, read its response by one of the two. */
struct response {
    struct lmt_grid *grid;
    int64_t *from_s, *to_s;
    int64_t *step_s;
};

static int request_alive(struct hdf5_child *c, const struct hdf5_request *request,
                         const struct response *response, struct err *err)
{
    int rc = child_get(c, err);
    if (rc < 0)
        return rc;
    struct hdf5_pipe pipe = pipe_of(c);
    struct err own = { 0 };
    rc = pipe.write(pipe.arg, request, sizeof *request);
    if (rc == 0 && request->op == HDF5_OP_TIMES)
        rc = hdf5_frames_read_times(&pipe, response->from_s, response->to_s, &own);
    else if (rc == 0 && request->op == HDF5_OP_STEP)
        rc = hdf5_frames_read_step(&pipe, response->step_s, &own);
    else if (rc == 0)
        rc = hdf5_frames_read_grid(&pipe, response->grid, &own);
    rc = child_judge(c, &pipe, rc, &own);
    if (rc < 0 && err)
        *err = own;
    return rc;
}

static int request_do(struct hdf5_child *c, const struct hdf5_request *request,
                      const struct response *response, struct err *err)
{
    hdf5_alive_begin(&c->alive);
    int rc = request_alive(c, request, response, err);
    hdf5_alive_rest(&c->alive, c->pid != 0);
    return rc;
}

static int child_times(void *state, enum lmt_measure measure, int64_t *ret_from_s,
                       int64_t *ret_to_s, struct err *err)
{
    const struct hdf5_request request = { .op = HDF5_OP_TIMES, .measure = measure };
    const struct response response = { .from_s = ret_from_s, .to_s = ret_to_s };
    return request_do(state, &request, &response, err);
}

static int64_t child_step(void *state, enum lmt_measure measure)
{
    const struct hdf5_request request = { .op = HDF5_OP_STEP, .measure = measure };
    int64_t step_s = 0;
    const struct response response = { .step_s = &step_s };
    return request_do(state, &request, &response, NULL) < 0 ? 0 : step_s;
}

static int child_read_grid(void *state, enum lmt_measure measure, struct lmt_grid *grid,
                           struct err *err)
{
    const struct hdf5_request request = {
        .op = HDF5_OP_READ,
        .measure = measure,
        .from_s = grid->from_s,
        .to_s = grid->to_s,
        .start_s = grid->start_s,
        .step_s = grid->step_s,
        .row_count = grid->row_count,
    };
    const struct response response = { .grid = grid };
    return request_do(state, &request, &response, err);
}

static void child_close(void *state)
{
    struct hdf5_child *c = state;
    int status;
    hdf5_alive_leave(&c->alive);
    if (c->pid && c->owner == getpid())
        (void)child_end(c, &status);
    else if (c->pid)
        (void)close(c->socket.fd);
    free(c->path);
    free(c->buffer);
    free(c);
}

pid_t hdf5_child_pid(const void *state)
{
    return ((const struct hdf5_child *)state)->pid;
}

static const struct lmt_format formats[] = {
    [HDF5_TOKIO] = { .name = "TOKIO HDF5",
                     .close = child_close,
                     .times = child_times,
                     .step = child_step,
                     .read = child_read_grid },
    [HDF5_H5LMT] = { .name = "h5lmt",
                     .close = child_close,
                     .times = child_times,
                     .step = child_step,
                     .read = child_read_grid },
};

int hdf5_child_open(const char *path, const struct lmt_opts *opts,
                    const struct hdf5_limits *limits, void **ret_state,
                    const struct lmt_format **ret_format, struct err *err)
{
    struct hdf5_child *c = calloc(1, sizeof *c);
    if (!c)
        return err_set(err, ENOMEM, "out of memory");
    *c = (struct hdf5_child){
        .path = span_dup(span_of(path)),
        .opts = *opts,
        .limits = *limits,
        .socket = { .fd = -1 },
        .alive = { .end = end_for_others },
        .buffer = malloc(HDF5_FRAME_BYTES_MAX),
    };
    enum hdf5_layout layout;
    int rc = 0;
    if (!c->path || !c->buffer) {
        rc = err_set(err, ENOMEM, "out of memory");
    } else {
        hdf5_alive_begin(&c->alive);
        rc = child_start(c, &layout, err);
        hdf5_alive_rest(&c->alive, c->pid != 0);
    }
    if (rc < 0) {
        child_close(c);
        return rc;
    }
    *ret_state = c;
    *ret_format = &formats[layout];
    return 0;
}

int lmt_hdf5_open(const char *path, const struct lmt_opts *opts, void **ret_state,
                  const struct lmt_format **ret_format, struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    const struct hdf5_limits limits = hdf5_limits_of((uint64_t)st.st_size);
    return hdf5_child_open(path, opts, &limits, ret_state, ret_format, err);
}
