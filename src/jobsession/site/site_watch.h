/* SPDX-License-Identifier: Apache-2.0 */
/* site_watch - what the agent of this node has for a session, for as long as it runs.
 *
 *     agent's socket ──▶ a thread ──▶ queue (256 lines) ──▶ line_fn, session's thread
 *
 * An agent that is away, refuses, ends or is killed is connected to again, from the
 * last number on; the first failure is a warning, and that it is over a notice.  While
 * the queue is full nothing is read: what has no place then is lost at the agent, which
 * states how much. Threads  start, end: inside of a session's begin and end; free:
 * after the session.
 */
#ifndef JOBSESSION_SITE_SITE_WATCH_H
#define JOBSESSION_SITE_SITE_WATCH_H

#include "base/cleanup.h"
#include "base/span_type.h"

#include <uv.h>

#define SITE_WATCH_LINES_MAX 256

struct site_watch;

struct site_watch_opts {
    const char *path;    /* of the agent's socket */
    const char *session; /* what those in this one report; NULL: what is of the node */
    /* A line as doc/formats/agent-socket.md has it, but "at".  Below 0: it comes again,
     * before those behind it. */
    int (*line_fn)(void *arg, struct span line);
    void *arg;
};

/* opts is copied, its texts outlive it.  Errors: -ENOMEM, those of threads and of an
 * eventfd. */
int site_watch_start(const struct site_watch_opts *opts, uv_loop_t *loop,
                     struct site_watch **ret);
void site_watch_end(struct site_watch *watch);  /* NULL is fine */
void site_watch_free(struct site_watch *watch); /* NULL is fine */

#endif
