/* SPDX-License-Identifier: Apache-2.0 */
/* local_listener - the socket on which programs of this node submit numbers of their
 * jobs, and events.
 */
#include "agent/local/local_listener.h"

#include "agent/local/local_quota.h"
#include "base/clock.h"
#include "base/span.h"
#include "base/system/socket_path.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SILENCE_MS = 10000,
    JOB_CHECK_MS = 5000,
    SETTLE_MS = 5,
    BACKLOG = 64,
    USER_PEERS_MAX = LOCAL_PEERS_MAX / 4
};

struct local_peer {
    struct local_listener *listener;
    struct local_peer *next, **link; /* in the listener's list */
    uv_pipe_t pipe;
    uv_timer_t silence, settle;
    bool is_waiting; /* for the response to the request with this ticket */
    uint64_t ticket;
    unsigned open_handles;
    uid_t uid;
    int job_rc; /* of looking for the job: at the first metric; 1: not yet */
    pid_t pid;
    struct local_watcher *watcher; /* NULL: it does not watch */
    char job[JOB_ID_BYTES];
    char line[LOCAL_LINE_BYTES_MAX];
    size_t size;
};

struct local_listener {
    struct local_opts opts;
    uv_loop_t *loop;
    uv_pipe_t pipe;
    struct local_peer *peers;
    struct local_quota quota;
};

static struct {
    _Atomic uint64_t accepted, refused, turned_away;
} counts;

void local_listener_count(struct local_counts *ret)
{
    *ret = (struct local_counts){ atomic_load(&counts.accepted),
                                  atomic_load(&counts.refused),
                                  atomic_load(&counts.turned_away) };
}

/* ---- one connection ---- */

static void on_local_closed(uv_handle_t *handle)
{
    struct local_peer *peer = handle->data;
    if (--peer->open_handles > 0)
        return;
    local_watcher_free(peer->watcher);
    free(peer);
}

static void local_peer_close(struct local_peer *peer)
{
    if (uv_is_closing((uv_handle_t *)&peer->pipe))
        return;
    *peer->link = peer->next;
    if (peer->next)
        peer->next->link = peer->link;
    local_watcher_end(peer->watcher);
    uv_close((uv_handle_t *)&peer->pipe, on_local_closed);
    uv_close((uv_handle_t *)&peer->silence, on_local_closed);
    uv_close((uv_handle_t *)&peer->settle, on_local_closed);
}

static void on_silence(uv_timer_t *timer)
{
    local_peer_close(timer->data);
}

const char local_waits[] = "waits";

static void add_response(struct strbuf *out, const char *why)
{
    if (why && strncmp(why, LOCAL_LATER, strlen(LOCAL_LATER)) == 0)
        strbuf_addf(out, "%s\n", why);
    else if (why)
        strbuf_addf(out, "refused: %s\n", why);
    else
        strbuf_adds(out, "ok\n");
}

static void response_add(struct strbuf *out, const char *why)
{
    atomic_fetch_add(why ? &counts.refused : &counts.accepted, 1);
    add_response(out, why);
}

/* The responses to one reading, at once.  A program that does not read them is
 * closed: no memory is held for it. */
static void write_responses(struct local_peer *peer, const struct strbuf *text)
{
    uv_buf_t buf = uv_buf_init(text->data, (unsigned)text->size);
    if (text->size == 0)
        return;
    if (strbuf_error(text) < 0 ||
        uv_try_write((uv_stream_t *)&peer->pipe, &buf, 1) != (int)text->size)
        local_peer_close(peer);
}

static const char *find_job(struct local_peer *peer)
{
    if (peer->job_rc > 0)
        peer->job_rc = process_job_find(peer->listener->opts.root, peer->pid, peer->uid,
                                        peer->job);
    if (peer->job_rc == -ENOENT)
        return "this process is in no job of Slurm on this node";
    return peer->job_rc < 0 ? "the job of this process cannot be read from /proc"
                            : NULL;
}

/* Of the node: what the site has of it is for the jobs that are there. */
static const char *handle_watch(struct local_peer *peer,
                                const struct local_request *request)
{
    const struct local_opts *opts = &peer->listener->opts;
    const char *why = find_job(peer);
    if (request->kind == LOCAL_WATCH_SESSION)
        why = NULL; /* which is the user's own, in a job or not */
    if (!opts->watchers)
        return LOCAL_LATER "the agent ends";
    return why ? why
               : local_watchers_add(opts->watchers, peer->uid, peer->job, request,
                                    (uv_stream_t *)&peer->pipe, &peer->watcher);
}

/* A process may outlive its job, or be moved out of it: what comes then is for others.
 */
static void on_job_check(uv_timer_t *timer)
{
    struct local_peer *peer = timer->data;
    char job[JOB_ID_BYTES] = "";
    int rc = process_job_find(peer->listener->opts.root, peer->pid, peer->uid, job);
    bool is_gone = rc == -ESRCH || rc == -ENOENT;
    if (is_gone || (rc == 0 && strcmp(job, peer->job) != 0))
        local_peer_close(peer);
}

/* After the response.  From then on only its end is read of it. */
static void watch_begin(struct local_peer *peer)
{
    const struct local_opts *opts = &peer->listener->opts;
    if (!peer->watcher || uv_is_closing((uv_handle_t *)&peer->pipe))
        return;
    if (peer->size > 0) {
        local_peer_close(peer);
        return;
    }
    (void)uv_timer_stop(&peer->silence);
    if (local_watcher_is_of_node(peer->watcher))
        (void)uv_timer_start(&peer->silence, on_job_check, JOB_CHECK_MS, JOB_CHECK_MS);
    local_watcher_begin(peer->watcher, clock_steady_ns());
    if (opts->watched)
        opts->watched(opts->arg);
}

static const char *handle_line(struct local_peer *peer, struct span line)
{
    struct local_listener *listener = peer->listener;
    struct local_request request;
    const char *why = NULL;
    int64_t now_ns = clock_steady_ns() + 1; /* never 0 */
    bool is_session = span_starts(line, "session ");
    if (!local_quota_request(&listener->quota, peer->uid, now_ns))
        return is_session ? LOCAL_LATER "10 requests a second, and 100 at once"
                          : "too many requests: 10 a second, and 100 at once";
    if (local_request_parse(line, &request, &why) < 0)
        return why;
    if (request.kind == LOCAL_WATCH_NODE || request.kind == LOCAL_WATCH_SESSION)
        return handle_watch(peer, &request);
    if (request.kind == LOCAL_SESSION)
        (void)find_job(peer);
    if (request.kind == LOCAL_METRIC || request.kind == LOCAL_FILES) {
        why = find_job(peer);
        if (!why && request.kind == LOCAL_METRIC &&
            !local_quota_metric(&listener->quota, peer->job, request.name, now_ns))
            why = "too many metrics: 32 a job, and 512 on this node";
    }
    const struct local_submission submission = { peer->uid, peer->job, &request };
    return why ? why
               : listener->opts.submit(listener->opts.arg, &submission, &peer->ticket);
}

static void on_settle_due(uv_timer_t *timer);

/* Nothing more is read of it meanwhile. */
static void peer_wait(struct local_peer *peer)
{
    peer->is_waiting = true;
    (void)uv_read_stop((uv_stream_t *)&peer->pipe);
    (void)uv_timer_start(&peer->settle, on_settle_due, SETTLE_MS, SETTLE_MS);
}

static void handle_lines(struct local_peer *peer)
{
    AUTO(strbuf_done) struct strbuf responses = STRBUF_INIT;
    char *end, *begin = peer->line;
    size_t left = peer->size;
    while (!peer->is_waiting && !peer->watcher &&
           (end = memchr(begin, '\n', left)) != NULL) {
        const char *why =
            handle_line(peer, (struct span){ begin, (size_t)(end - begin) });
        if (why == local_waits)
            peer_wait(peer);
        else
            response_add(&responses, why);
        left -= (size_t)(end + 1 - begin);
        begin = end + 1;
    }
    memmove(peer->line, begin, left);
    peer->size = left;
    bool is_too_long = left == sizeof peer->line && !peer->is_waiting;
    if (is_too_long)
        add_response(&responses, "a line is too long");
    write_responses(peer, &responses);
    if (is_too_long)
        local_peer_close(peer);
    watch_begin(peer);
}

static void on_local_alloc(uv_handle_t *handle, size_t wanted, uv_buf_t *ret);
static void on_local_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf);

static void on_settle_due(uv_timer_t *timer)
{
    AUTO(strbuf_done) struct strbuf response = STRBUF_INIT;
    struct local_peer *peer = timer->data;
    const struct local_opts *opts = &peer->listener->opts;
    const char *why = opts->settle(opts->arg, peer->ticket);
    if (why == local_waits)
        return;
    (void)uv_timer_stop(timer);
    peer->is_waiting = false;
    response_add(&response, why);
    write_responses(peer, &response);
    if (uv_is_closing((uv_handle_t *)&peer->pipe))
        return;
    handle_lines(peer); /* those that came together with it */
    if (!uv_is_closing((uv_handle_t *)&peer->pipe) && !peer->is_waiting &&
        uv_read_start((uv_stream_t *)&peer->pipe, on_local_alloc, on_local_read) < 0)
        local_peer_close(peer);
}

static void on_local_alloc(uv_handle_t *handle, size_t wanted, uv_buf_t *ret)
{
    struct local_peer *peer = handle->data;
    (void)wanted;
    *ret = uv_buf_init(peer->line + peer->size,
                       (unsigned)(sizeof peer->line - peer->size));
}

static void on_local_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    struct local_peer *peer = stream->data;
    (void)buf;
    if (size < 0) {
        local_peer_close(peer);
        return;
    }
    if (peer->watcher) { /* what follows a watch is no request, and has no end */
        if (size > 0)
            local_peer_close(peer);
        return;
    }
    peer->size += (size_t)size;
    (void)uv_timer_start(&peer->silence, on_silence, SILENCE_MS, 0);
    handle_lines(peer);
}

/* What the kernel states of the process at the other end; false: nothing. */
static bool read_credentials(struct local_peer *peer)
{
    struct ucred cred;
    socklen_t size = sizeof cred;
    uv_os_fd_t fd;
    if (uv_fileno((uv_handle_t *)&peer->pipe, &fd) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0)
        return false;
    peer->uid = cred.uid;
    peer->pid = cred.pid;
    return true;
}

static bool has_capacity(const struct local_peer *peer)
{
    size_t count = 0, of_user = 0;
    for (const struct local_peer *p = peer->listener->peers; p; p = p->next) {
        count++;
        of_user += p->uid == peer->uid;
    }
    return count <= LOCAL_PEERS_MAX &&
           of_user <= USER_PEERS_MAX; /* peer is among them */
}

static void turn_away(struct local_peer *peer)
{
    AUTO(strbuf_done) struct strbuf response = STRBUF_INIT;
    atomic_fetch_add(&counts.turned_away, 1);
    add_response(&response, "too many connections");
    write_responses(peer, &response);
    local_peer_close(peer);
}

static void on_local_connection(uv_stream_t *server, int status)
{
    struct local_listener *listener = server->data;
    struct local_peer *peer = status < 0 ? NULL : calloc(1, sizeof *peer);
    if (!peer)
        return;
    peer->listener = listener;
    peer->job_rc = 1;
    peer->pipe.data = peer->silence.data = peer->settle.data = peer;
    (void)uv_pipe_init(listener->loop, &peer->pipe, 0);
    (void)uv_timer_init(listener->loop, &peer->silence);
    (void)uv_timer_init(listener->loop, &peer->settle);
    peer->open_handles = 3;
    peer->next = listener->peers;
    peer->link = &listener->peers;
    if (peer->next)
        peer->next->link = &peer->next;
    listener->peers = peer;
    if (uv_accept(server, (uv_stream_t *)&peer->pipe) < 0 || !read_credentials(peer)) {
        local_peer_close(peer);
    } else if (!has_capacity(peer)) {
        turn_away(peer);
    } else if (uv_timer_start(&peer->silence, on_silence, SILENCE_MS, 0) < 0 ||
               uv_read_start((uv_stream_t *)&peer->pipe, on_local_alloc,
                             on_local_read) < 0) {
        local_peer_close(peer);
    }
}

/* ---- the listener ---- */

static void on_listener_closed(uv_handle_t *handle)
{
    free(handle->data);
}

int local_listener_start(const struct local_opts *opts, uv_loop_t *loop,
                         struct local_listener **ret, struct err *err)
{
    int rc = socket_path_clear(opts->path, err);
    if (rc < 0)
        return rc;
    struct local_listener *listener = calloc(1, sizeof *listener);
    if (!listener)
        return -ENOMEM;
    listener->opts = *opts;
    listener->loop = loop;
    listener->pipe.data = listener;
    (void)uv_pipe_init(loop, &listener->pipe, 0);
    rc = uv_pipe_bind(&listener->pipe, opts->path);
    if (rc == 0 && chmod(opts->path, 0666) < 0) /* every user: each has a quota */
        rc = -errno;
    if (rc == 0)
        rc = uv_listen((uv_stream_t *)&listener->pipe, BACKLOG, on_local_connection);
    if (rc < 0) {
        uv_close((uv_handle_t *)&listener->pipe, on_listener_closed);
        return err_set(err, -rc, "%s: %s", opts->path, uv_strerror(rc));
    }
    *ret = listener;
    return 0;
}

void local_listener_stop(struct local_listener *listener)
{
    if (!listener)
        return;
    while (listener->peers)
        local_peer_close(listener->peers);
    uv_close((uv_handle_t *)&listener->pipe, on_listener_closed);
}
