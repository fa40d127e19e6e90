/* SPDX-License-Identifier: Apache-2.0 */
/* commit - batches into the spool, then the state: one commit for each read.
 *
 *     spool   ... 41 42 43 | 44 45        44 and 45 belong to a read whose state was
 *     states       ▲     ▲                never renamed into place: at the next start
 *              OST0000  OST0001           they are cut off, as if it had not been
 *
 * So a kill at any instant leaves spool and state with the same history: what the next
 * read finds is counted from the last read that counts (doc/decisions/0042).
 *
 * Threads  the loop's; committed may be read by any.
 */
#ifndef AGENT_COMMIT_H
#define AGENT_COMMIT_H

#include "agent/batches.h"
#include "agent/report.h"
#include "observe/observe.h"
#include "spool/spool.h"

#include <stdatomic.h>

struct commit_opts {
    const char *state_dir; /* made when it is not there; must outlive the log */
    struct spool_opts spool;
    struct observe *observe;           /* what is loaded goes here; likewise */
    const struct agent_report *report; /* likewise */
};

struct commit_log {
    struct commit_opts opts;
    struct spool *spool;
    struct uuid uuid;      /* the agent's */
    uint64_t batch_number; /* of the last batch; never given twice under one uuid */
    /* Up to here records belong to reads that count. */
    _Atomic uint64_t committed;
};

/* Open spool and state, load what was observed, cut off what never came to count.
 * Errors: -EPROTONOSUPPORT (a file of another version), -ENOMEM, as spool_open; then
 * commit_log_close is still to be called. */
int commit_log_open(struct commit_log *log, const struct commit_opts *opts,
                    struct err *err);
void commit_log_close(struct commit_log *log);

/* The rows of a read and the state behind it.  Errors: -ENOMEM, what writing returns;
 * then the target is as it was before the read. */
int commit_read(struct commit_log *log, struct observe_target *target,
                struct agent_batches *batches, struct err *err);
/* The target as it was after the last read that counts. */
void commit_revert(struct commit_log *log, struct observe_target *target);
/* The list of targets, and who this agent is.  Errors: -ENOMEM, what writing returns.
 */
int commit_list(struct commit_log *log, struct err *err);

#endif
