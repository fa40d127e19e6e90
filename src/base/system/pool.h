/* SPDX-License-Identifier: Apache-2.0 */
/* pool - many pieces of work, done by a few processes, taken in their order.
 *
 *     tasks 0 .. count - 1 ──▶ a few to each worker ──▶ results ──▶ take(0), take(1)
 * ...
 *
 * A worker is forked off the caller, shares what the caller had in memory, and ends
 * with him.  One that crashes is replaced, and its task is given once more, alone; at
 * the second crash the task is lost.  One that is at a task for too long is killed, and
 * the task is lost.
 *
 * Memory   a result waits for those before it; at most POOL_AHEAD tasks for each worker
 * are under way, and a result has at most POOL_RESULT_BYTES_MAX.
 * Threads  the caller's only, and there must be no other when workers are forked.
 */
#ifndef BASE_SYSTEM_POOL_H
#define BASE_SYSTEM_POOL_H

#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"

#define POOL_WORKERS_MAX 256
#define POOL_AHEAD 64
#define POOL_RESULT_BYTES_MAX ((size_t)64 << 20)

enum pool_fate {
    POOL_DONE,
    POOL_CRASHED, /* twice */
    POOL_LATE,
};

struct pool_result {
    size_t task;
    enum pool_fate fate;
    int signal;        /* that ended the worker, of a task that crashed; 0: it exited */
    struct span bytes; /* valid during take(); empty unless done */
};

struct pool_opts {
    unsigned workers; /* 1 .. POOL_WORKERS_MAX */
    size_t count;
    int64_t task_ns_max; /* for one task; 0: no limit */
    void *arg;
    /* In a worker.  What it puts into ret is the result; more than
     * POOL_RESULT_BYTES_MAX counts as a crash. */
    void (*work)(void *arg, size_t task, struct strbuf *ret);
    /* In the caller, in the order of tasks.  What is not 0 ends the run. */
    int (*take)(void *arg, const struct pool_result *result);
};

/* Errors: what take() says; -EAGAIN, -EMFILE and the like (no worker can be started);
 * -ENOMEM. */
int pool_run(const struct pool_opts *opts, struct err *err);

/* As many as there are processors that this process may use, at most
 * POOL_WORKERS_MAX. */
unsigned pool_workers_default(void);

#endif
