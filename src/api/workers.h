/* SPDX-License-Identifier: Apache-2.0 */
/* workers - a few threads that do queued work, and what one sender may have of them;
 * private to api.
 *
 *     workers_reserve ─▶ net_request_defer ─▶ workers_submit ─▶ run, on a worker
 *      -EAGAIN: full                          workers_continue ─▶ run, once more
 *
 * One sender has half of the queue and all workers but one at most, so that others are
 * answered meanwhile.
 *
 * Threads  any thread reserves and submits; run is called on a worker.
 * Memory   work is the caller's, and part of what it stands for.
 */
#ifndef API_WORKERS_H
#define API_WORKERS_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { WORKERS_MAX = 16 };

struct work {
    struct work *next; /* of the queue */
    uint64_t sender;
    bool is_ready; /* in the queue it only holds its place until then */
};

struct workers_opts {
    size_t count;     /* 1 .. WORKERS_MAX */
    size_t queue_max; /* waiting; of one sender half of it */
    /* On a worker: what it keeps from one work to the next; both may be NULL. */
    void *(*begin)(void *arg);
    void (*end)(void *state);
    /* work may be freed in it. */
    void (*run)(void *arg, void *state, struct work *work);
    void *arg;
};

struct workers;

/* Errors: -ENOMEM, -EAGAIN (threads). */
int workers_new(const struct workers_opts *opts, struct workers **ret, struct err *err);
/* Does what is queued, then ends the threads. */
void workers_free(struct workers *workers);
DEFINE_AUTO(struct workers, workers_free);

/* A place in the queue, to be submitted.  Errors: -EAGAIN (err says which limit). */
int workers_reserve(struct workers *workers, struct work *work, struct err *err);
void workers_submit(struct workers *workers, struct work *work);
/* More of what was run before: it has a place, however many wait. */
void workers_continue(struct workers *workers, struct work *work);

struct workers_stats {
    uint64_t begun;   /* that a worker took up */
    uint64_t refused; /* because the queue was full */
    size_t waiting, queue_max;
};
void workers_stats(struct workers *workers, struct workers_stats *ret);

#endif
