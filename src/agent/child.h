/* SPDX-License-Identifier: Apache-2.0 */
/* child - a read that may hang, in a process of its own.
 *
 *     agent_child_start ──▶ data_fn(piece) ... ──▶ done_fn(how it ended)
 *                                 │ deadline
 *                                 └──────────────▶ done_fn(-ETIMEDOUT); the process is
 *                                                  left alone until it returns, then
 *                                                  gone_fn
 *
 * A process that hangs in the kernel cannot be killed, and nothing waits for it.
 * Threads  the loop's.
 */
#ifndef AGENT_CHILD_H
#define AGENT_CHILD_H

#include "base/span_type.h"

#include <stdint.h>
#include <uv.h>

struct agent_child;

struct agent_child_result {
    int error;  /* 0; -ETIMEDOUT; another -errno: it could not be started or read */
    int status; /* exit status; 128 + signal */
    struct span complaint; /* what it printed to stderr, its first lines */
};

struct agent_child_events {
    /* A negative return ends the reading: done_fn is given it. */
    int (*data_fn)(void *arg, struct span piece);
    void (*done_fn)(void *arg, const struct agent_child_result *result);
    /* The process is no more; after done_fn.  Its arg may be freed now. */
    void (*gone_fn)(void *arg);
    void *arg;
};

/* argv ends with NULL.  On failure nothing is called.  Errors: what uv_spawn returns.
 */
int agent_child_start(uv_loop_t *loop, char *const *argv, int64_t deadline_ns,
                      const struct agent_child_events *events);

#endif
