/* SPDX-License-Identifier: Apache-2.0 */
/* pool - many pieces of work, done by a few processes, taken in their order. */
#include "base/system/pool.h"

#include "base/clock.h"

#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define DEPTH 4 /* tasks that a worker has: the next is there when one is done */
#define NS_A_MS 1000000
#define PIECE_BYTES ((size_t)65536)

/* What a worker sends before the bytes of a result; of one machine and program. */
struct frame {
    uint64_t task;
    uint64_t size;
};

/* A task that is under way, at task % window. */
struct slot {
    bool is_ready;
    unsigned crashes;
    enum pool_fate fate;
    int signal;
    struct strbuf bytes;
};

struct worker {
    pid_t pid; /* 0: none */
    int fd;
    size_t pending[DEPTH]; /* given and not answered, the first one under way */
    size_t pending_count;
    int64_t since_ns; /* when the first one began, at the latest */
    bool is_late;     /* killed for it */
    struct strbuf in;
};

struct pool {
    const struct pool_opts *opts;
    struct slot *slots;
    size_t window;
    size_t next_give, next_take;
    size_t *again; /* to be given once more */
    size_t again_count;
    struct worker *workers;
    struct pollfd *polls;
};

unsigned pool_workers_default(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1                  ? 1
           : count > POOL_WORKERS_MAX ? POOL_WORKERS_MAX
                                      : (unsigned)count;
}

/* ---- a worker ---- */

static int send_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return -errno;
        at += sent;
        size -= (size_t)sent;
    }
    return 0;
}

static bool task_receive(int fd, uint64_t *ret)
{
    size_t got = 0;
    while (got < sizeof *ret) {
        ssize_t n = recv(fd, (char *)ret + got, sizeof *ret - got, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

/* Ends with the process, without what the caller's exit would do. */
static void be_worker(const struct pool *pool, int fd, pid_t parent)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    uint64_t task;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* died before that was asked for */
        _exit(EXIT_FAILED);
    for (unsigned i = 0; i < pool->opts->workers; i++) /* those of the others */
        if (pool->workers[i].fd >= 0)
            (void)close(pool->workers[i].fd);
    while (task_receive(fd, &task)) {
        strbuf_clear(&out);
        pool->opts->work(pool->opts->arg, task, &out);
        struct frame frame = { task, out.size };
        if (strbuf_error(&out) < 0 || out.size > POOL_RESULT_BYTES_MAX ||
            send_all(fd, &frame, sizeof frame) < 0 ||
            send_all(fd, out.data, out.size) < 0)
            _exit(EXIT_FAILED);
    }
    _exit(EXIT_OK);
}

static int worker_start(struct pool *pool, struct worker *w, struct err *err)
{
    int fds[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
        return err_set(err, errno, "a pair of sockets: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(fds[0]);
        be_worker(pool, fds[1], parent);
    }
    (void)close(fds[1]);
    if (pid < 0) {
        int error = errno;
        (void)close(fds[0]);
        return err_set(err, error, "fork: %s", strerror(error));
    }
    w->pid = pid;
    w->fd = fds[0];
    w->is_late = false;
    w->pending_count = 0;
    strbuf_clear(&w->in);
    return 0;
}

/* Returns the signal that ended it; 0: none. */
static int worker_end(struct worker *w)
{
    int status = 0;
    if (w->fd >= 0)
        (void)close(w->fd);
    w->fd = -1;
    if (w->pid > 0)
        while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
            continue;
    w->pid = 0;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* ---- giving ---- */

static struct slot *slot_of(const struct pool *pool, size_t task)
{
    return &pool->slots[task % pool->window];
}

/* The task that waits for longest, of those that are to be given again. */
static size_t again_take(struct pool *pool)
{
    size_t best = 0;
    for (size_t i = 1; i < pool->again_count; i++)
        if (pool->again[i] < pool->again[best])
            best = i;
    size_t task = pool->again[best];
    pool->again[best] = pool->again[--pool->again_count];
    return task;
}

/* A task that was crashed at before is given to a worker that has nothing else. */
static bool is_room(const struct pool *pool, const struct worker *w)
{
    if (w->pending_count == 0)
        return true;
    return !w->is_late && w->pending_count < DEPTH && pool->again_count == 0 &&
           slot_of(pool, w->pending[0])->crashes == 0;
}

static bool is_more(const struct pool *pool)
{
    return pool->again_count > 0 || (pool->next_give < pool->opts->count &&
                                     pool->next_give - pool->next_take < pool->window);
}

static void give(struct pool *pool, struct worker *w)
{
    uint64_t task = pool->again_count > 0 ? again_take(pool) : pool->next_give++;
    if (w->pending_count == 0)
        w->since_ns = clock_monotonic_ns();
    w->pending[w->pending_count++] = task;
    (void)send_all(w->fd, &task, sizeof task); /* its end is seen when it is read */
}

/* One task to each in turn, so that the last ones are not all of one worker. */
static int give_all(struct pool *pool, struct err *err)
{
    bool has_given = true;
    while (has_given) {
        has_given = false;
        for (unsigned i = 0; i < pool->opts->workers && is_more(pool); i++) {
            struct worker *w = &pool->workers[i];
            int rc = w->pid == 0 ? worker_start(pool, w, err) : 0;
            if (rc < 0)
                return rc;
            if (!is_room(pool, w))
                continue;
            give(pool, w);
            has_given = true;
        }
    }
    return 0;
}

/* ---- results ---- */

static void answered(struct pool *pool, struct worker *w, const struct frame *frame)
{
    struct slot *slot = slot_of(pool, frame->task);
    strbuf_clear(&slot->bytes);
    strbuf_add(&slot->bytes, w->in.data + sizeof *frame, frame->size);
    slot->fate = POOL_DONE;
    slot->is_ready = true;
    size_t used = sizeof *frame + frame->size;
    memmove(w->in.data, w->in.data + used, w->in.size - used);
    w->in.size -= used;
    w->pending_count--;
    memmove(w->pending, w->pending + 1, w->pending_count * sizeof w->pending[0]);
    w->since_ns = clock_monotonic_ns();
}

/* Those behind the one it was at are given again. */
static void ended(struct pool *pool, struct worker *w)
{
    int signal = worker_end(w);
    size_t first = 0;
    if (w->pending_count > 0) {
        struct slot *slot = slot_of(pool, w->pending[0]);
        slot->crashes++;
        slot->signal = signal;
        slot->fate = w->is_late ? POOL_LATE : POOL_CRASHED;
        slot->is_ready = w->is_late || slot->crashes > 1;
        first = slot->is_ready;
    }
    for (size_t i = first; i < w->pending_count; i++)
        pool->again[pool->again_count++] = w->pending[i];
    w->pending_count = 0;
}

/* Whole frames out of what came.  Returns false for what no worker of ours sends. */
static bool frames_take(struct pool *pool, struct worker *w)
{
    struct frame frame;
    while (w->in.size >= sizeof frame) {
        memcpy(&frame, w->in.data, sizeof frame);
        if (w->pending_count == 0 || frame.task != w->pending[0] ||
            frame.size > POOL_RESULT_BYTES_MAX)
            return false;
        if (w->in.size - sizeof frame < frame.size)
            break;
        answered(pool, w, &frame);
    }
    return true;
}

static int worker_read(struct pool *pool, struct worker *w)
{
    if (strbuf_reserve(&w->in, PIECE_BYTES) < 0)
        return -ENOMEM;
    ssize_t got = recv(w->fd, w->in.data + w->in.size, PIECE_BYTES, 0);
    if (got < 0 && errno == EINTR)
        return 0;
    w->in.size += got > 0 ? (size_t)got : 0;
    if (got > 0 && frames_take(pool, w))
        return 0;
    (void)kill(w->pid, SIGKILL);
    ended(pool, w);
    return 0;
}

/* Until the first worker has been at its task for too long; -1: for ever. */
static int patience_ms(const struct pool *pool)
{
    int64_t least_ns = INT64_MAX;
    int64_t now_ns = clock_monotonic_ns();
    for (unsigned i = 0; i < pool->opts->workers && pool->opts->task_ns_max > 0; i++) {
        const struct worker *w = &pool->workers[i];
        int64_t left_ns = w->since_ns + pool->opts->task_ns_max - now_ns;
        if (w->pending_count > 0 && !w->is_late && left_ns < least_ns)
            least_ns = left_ns;
    }
    if (least_ns == INT64_MAX)
        return -1;
    int64_t ms = least_ns < 0 ? 0 : least_ns / NS_A_MS + 1;
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* Only one of which nothing came is late: what came may have waited for us. */
static void late_kill(struct pool *pool, struct worker *w)
{
    if (pool->opts->task_ns_max <= 0 || w->pending_count == 0 || w->is_late ||
        clock_monotonic_ns() - w->since_ns < pool->opts->task_ns_max)
        return;
    w->is_late = true;
    (void)kill(w->pid, SIGKILL); /* its end comes as the end of what it sends */
}

static int wait_and_read(struct pool *pool, struct err *err)
{
    unsigned count = pool->opts->workers;
    for (unsigned i = 0; i < count; i++)
        pool->polls[i] = (struct pollfd){ pool->workers[i].fd, POLLIN, 0 };
    if (poll(pool->polls, count, patience_ms(pool)) < 0)
        return errno == EINTR ? 0 : err_set(err, errno, "poll: %s", strerror(errno));
    for (unsigned i = 0; i < count; i++) {
        if (pool->polls[i].revents == 0)
            late_kill(pool, &pool->workers[i]);
        else if (worker_read(pool, &pool->workers[i]) < 0)
            return err_set(err, ENOMEM, "out of memory");
    }
    return 0;
}

static int take_ready(struct pool *pool, struct err *err)
{
    while (pool->next_take < pool->next_give) {
        struct slot *slot = slot_of(pool, pool->next_take);
        if (!slot->is_ready)
            return 0;
        struct pool_result result = {
            pool->next_take, slot->fate, slot->signal, { "", 0 }
        };
        if (strbuf_error(&slot->bytes) < 0)
            return err_set(err, ENOMEM, "out of memory");
        if (slot->fate == POOL_DONE)
            result.bytes = strbuf_span(&slot->bytes);
        int rc = pool->opts->take(pool->opts->arg, &result);
        strbuf_done(&slot->bytes);
        *slot = (struct slot){ 0 };
        pool->next_take++;
        if (rc != 0)
            return rc;
    }
    return 0;
}

static void pool_done(struct pool *pool)
{
    for (unsigned i = 0; pool->workers && i < pool->opts->workers; i++) {
        struct worker *w = &pool->workers[i];
        if (w->pid > 0 && w->pending_count > 0)
            (void)kill(w->pid, SIGKILL);
        (void)worker_end(w);
        strbuf_done(&w->in);
    }
    for (size_t i = 0; pool->slots && i < pool->window; i++)
        strbuf_done(&pool->slots[i].bytes);
    free(pool->slots);
    free(pool->workers);
    free(pool->again);
    free(pool->polls);
}
DEFINE_AUTO_DONE(struct pool, pool_done);

int pool_run(const struct pool_opts *opts, struct err *err)
{
    AUTO(pool_done) struct pool pool = { .opts = opts };
    if (opts->workers < 1 || opts->workers > POOL_WORKERS_MAX)
        return err_set(err, EINVAL, "%u workers are not in 1..%d", opts->workers,
                       POOL_WORKERS_MAX);
    pool.window = (size_t)opts->workers * POOL_AHEAD;
    pool.slots = calloc(pool.window, sizeof *pool.slots);
    pool.workers = calloc(opts->workers, sizeof *pool.workers);
    pool.again = calloc((size_t)opts->workers * DEPTH, sizeof *pool.again);
    pool.polls = calloc(opts->workers, sizeof *pool.polls);
    for (unsigned i = 0; pool.workers && i < opts->workers; i++)
        pool.workers[i].fd = -1;
    if (!pool.slots || !pool.workers || !pool.again || !pool.polls)
        return err_set(err, ENOMEM, "out of memory");
    int rc = 0;
    while (rc == 0 && pool.next_take < opts->count) {
        rc = give_all(&pool, err);
        if (rc == 0)
            rc = wait_and_read(&pool, err);
        if (rc == 0)
            rc = take_ready(&pool, err);
    }
    return rc;
}
