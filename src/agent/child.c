/* SPDX-License-Identifier: Apache-2.0 */
/* child - a read that may hang, in a process of its own. */
#include "agent/child.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <signal.h>

#define PIECE_BYTES 65536
#define COMPLAINT_BYTES 400
/* How often a process past its deadline is looked at: still in the kernel? */
#define GIVEN_UP_LOOK_MS 5000

struct agent_child {
    struct agent_child_events events;
    uv_process_t process;
    uv_pipe_t out, err;
    uv_timer_t deadline;
    int open_handles;                      /* of the four above, not yet closed */
    bool is_done;                          /* done_fn was called */
    bool has_exited, has_ended, err_ended; /* the process; its two texts */
    int status, error;
    char complaint[COMPLAINT_BYTES];
    size_t complaint_size;
    char piece[PIECE_BYTES];
};

static void handle_closed(uv_handle_t *handle)
{
    struct agent_child *c = handle->data;
    if (--c->open_handles > 0)
        return;
    c->events.gone_fn(c->events.arg);
    free(c);
}

static void close_handle(void *handle)
{
    if (!uv_is_closing(handle))
        uv_close(handle, handle_closed);
}

static void tell_done(struct agent_child *c)
{
    if (c->is_done)
        return;
    c->is_done = true;
    struct agent_child_result result = {
        .error = c->error,
        .status = c->status,
        .complaint = span_trim((struct span){ c->complaint, c->complaint_size }),
    };
    c->events.done_fn(c->events.arg, &result);
}

static void look_done(struct agent_child *c)
{
    if (c->has_exited && c->has_ended && c->err_ended) {
        tell_done(c);
        close_handle(&c->deadline);
    }
}

static void process_exited(uv_process_t *process, int64_t status, int signal)
{
    struct agent_child *c = process->data;
    c->has_exited = true;
    c->status = signal ? 128 + signal : (int)status;
    close_handle(process);
    /* A child of the child may still hold the pipe; its word does not count. */
    if (c->is_done) {
        close_handle(&c->out);
        close_handle(&c->err);
        close_handle(&c->deadline);
    }
    look_done(c);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    (void)suggested;
    struct agent_child *c = handle->data;
    *buf = uv_buf_init(c->piece, sizeof c->piece);
}

static void end_text(struct agent_child *c, int error)
{
    if (error && !c->error)
        c->error = error;
    c->has_ended = true;
    close_handle(&c->out);
    look_done(c);
}

static void on_out(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    struct agent_child *c = stream->data;
    if (size < 0) {
        end_text(c, size == UV_EOF ? 0 : (int)size);
        return;
    }
    if (c->is_done || size == 0)
        return;
    int rc = c->events.data_fn(c->events.arg, (struct span){ buf->base, (size_t)size });
    if (rc < 0) {
        end_text(c, rc);
        if (!c->has_exited)
            (void)uv_process_kill(&c->process, SIGKILL);
    }
}

static void on_err(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    struct agent_child *c = stream->data;
    if (size < 0) {
        c->err_ended = true;
        close_handle(&c->err);
        look_done(c);
        return;
    }
    size_t capacity = sizeof c->complaint - c->complaint_size;
    size_t used = (size_t)size < capacity ? (size_t)size : capacity;
    memcpy(c->complaint + c->complaint_size, buf->base, used);
    c->complaint_size += used;
}

/* A process in uninterruptible sleep: killing it would do nothing now, and something
 * unexpected when it wakes. */
static bool is_in_kernel(int pid)
{
    char path[64];
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (file_read(path, 4096, &text, NULL) < 0)
        return false;
    const char *state = strrchr(strbuf_text(&text), ')');
    return state && state[1] == ' ' && state[2] == 'D';
}

static void on_deadline(uv_timer_t *timer)
{
    struct agent_child *c = timer->data;
    if (!c->is_done) {
        c->error = -ETIMEDOUT;
        tell_done(c);
        close_handle(&c->out);
        close_handle(&c->err);
    }
    if (c->has_exited) {
        close_handle(&c->deadline);
        return;
    }
    if (!is_in_kernel(c->process.pid))
        (void)uv_process_kill(&c->process, SIGKILL);
    (void)uv_timer_start(timer, on_deadline, GIVEN_UP_LOOK_MS, 0);
}

static int spawn(uv_loop_t *loop, struct agent_child *c, char *const *argv)
{
    uv_stdio_container_t stdio[3] = {
        { .flags = UV_IGNORE },
        { .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
          .data.stream = (uv_stream_t *)&c->out },
        { .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
          .data.stream = (uv_stream_t *)&c->err },
    };
    uv_process_options_t options = {
        .exit_cb = process_exited,
        .file = argv[0],
        .args = (char **)(uintptr_t)argv,
        .stdio = stdio,
        .stdio_count = 3,
    };
    return uv_spawn(loop, &c->process, &options);
}

/* A parent that blocks SIGCHLD hands that on (slurmctld does, to what it runs): no end
 * of a process would ever be heard of. */
static void hear_of_ends(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGCHLD);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void never_started(uv_handle_t *handle)
{
    struct agent_child *c = handle->data;
    if (--c->open_handles == 0)
        free(c);
}

int agent_child_start(uv_loop_t *loop, char *const *argv, int64_t deadline_ns,
                      const struct agent_child_events *events)
{
    struct agent_child *c = calloc(1, sizeof *c);
    if (!c)
        return -ENOMEM;
    c->events = *events;
    hear_of_ends();
    (void)uv_pipe_init(loop, &c->out, 0);
    (void)uv_pipe_init(loop, &c->err, 0);
    (void)uv_timer_init(loop, &c->deadline);
    c->out.data = c->err.data = c->deadline.data = c->process.data = c;
    c->open_handles = 4;
    int rc = spawn(loop, c, argv);
    if (rc < 0) {
        uv_close((uv_handle_t *)&c->out, never_started);
        uv_close((uv_handle_t *)&c->err, never_started);
        uv_close((uv_handle_t *)&c->deadline, never_started);
        uv_close((uv_handle_t *)&c->process, never_started);
        return rc;
    }
    (void)uv_read_start((uv_stream_t *)&c->out, on_alloc, on_out);
    (void)uv_read_start((uv_stream_t *)&c->err, on_alloc, on_err);
    (void)uv_timer_start(&c->deadline, on_deadline, (uint64_t)(deadline_ns / NS_PER_MS),
                         0);
    return 0;
}
