/* SPDX-License-Identifier: Apache-2.0 */
/* reading - one target, read round after round.
 *
 *     reading_start ──child──▶ parser ──▶ observe ──▶ batches ──▶ commit ──▶ over_fn
 *                                    the process may be gone later: ──▶ gone_fn
 *
 * Threads  the loop's.
 */
#ifndef AGENT_READING_H
#define AGENT_READING_H

#include "agent/child.h"
#include "agent/commit.h"
#include "agent/config.h"
#include "source/lustre/lustre.h"

struct reading;

struct reading_counts {
    uint64_t reads;
    uint64_t reads_failed;
    uint64_t reads_given_up;   /* past the deadline */
    uint64_t reads_not_stored; /* spool or state could not be written */
    uint64_t bad_lines;
    uint64_t batches;
    uint64_t read_ns;
};

/* What all readings of an agent share; must outlive them. */
struct reading_context {
    const struct agent_opts *opts;
    uv_loop_t *loop;
    struct commit_log *log;
    const struct agent_report *report;
    struct reading_counts counts;
    bool is_stopping; /* what comes now is as if it had not been */
    /* The read is over: hangs, where its process is not gone. */
    void (*over_fn)(void *arg, struct reading *reading, bool hangs);
    /* Its process is gone: it can be started again. */
    void (*gone_fn)(void *arg, struct reading *reading);
    /* Batches were committed. */
    void (*committed_fn)(void *arg);
    void *arg;
};

struct reading {
    struct reading_context *context;
    struct observe_target *target;
    /* For whoever schedules it: */
    int64_t due_ns;  /* T_NONE: not in this round, or read already */
    bool is_out;     /* its process is not gone */
    bool is_hanging; /* past its deadline, and still not gone */
    bool was_late;   /* the last read was given up */
    bool is_new;     /* its cleanup interval was never read */
    int64_t took_ns; /* the last read */
    int64_t warned_cleanup_ms;

    struct jobstats_parser *parser; /* while it is out */
    struct agent_batches *batches;
    int64_t started_ns;
    int64_t t_ms; /* of the observation */
};

/* Errors: -ENOMEM. */
int reading_new(struct reading_context *context, struct observe_target *target,
                struct reading **ret);
/* Only while no process is out. */
void reading_free(struct reading *reading);
/* Errors: what starting the process returns, -ENOMEM; it is reported and counted, and
 * nothing is called. */
int reading_start(struct reading *reading);

#endif
