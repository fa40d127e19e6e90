/* SPDX-License-Identifier: Apache-2.0 */
/* replay - a capture, observed and sent once more.
 *
 *     dumps of a host, by time ──▶ parser ──▶ observe ──▶ batches ──▶ barod
 *
 * Everything in a batch follows from the capture, its identifier too, so that a replay
 * that is repeated changes nothing.
 * Threads  one at a time.
 */
#ifndef AGENT_CAPTURE_REPLAY_H
#define AGENT_CAPTURE_REPLAY_H

#include "base/err.h"
#include "base/span_type.h"
#include "net/net.h"

#include <stdint.h>

/* Send one compressed batch; *ret is the response.  Errors: as net_client_post. */
typedef int replay_post_fn(void *arg, struct span payload, struct net_response *ret,
                           struct err *err);

struct replay_opts {
    const char *dir;
    int64_t interval_ms; /* between two rounds of the capture */
    /* NULL: nothing is sent, the capture is only observed and counted. */
    replay_post_fn *post_fn;
    /* Called with the time between two dumps; NULL: no pauses. */
    void (*pause_fn)(void *arg, int64_t ms);
    /* How many of the capture's files were replayed; or NULL. */
    void (*progress_fn)(void *arg, size_t done, size_t count);
    void *arg; /* of all */
};

struct replay_counts {
    uint64_t dumps, rows, batches, bad_lines;
};

/* *ret counts also what was replayed before an error.  Errors: -ENODATA (no dump is in
 * the directory), -EBADMSG (a file is
 * none of a capture, or what responds is not barod), what reading returns, what post_fn
 * returned, -errno of a status that is none of success, -ENOMEM. */
int replay_run(const struct replay_opts *opts, struct replay_counts *ret,
               struct err *err);

#endif
