/* SPDX-License-Identifier: Apache-2.0 */
/* rounds - when to read what.
 *
 *     T            list the targets
 *     T + offset   read a target: each has its own offset, the same in every round
 *     T + interval ...
 *
 * One wake-up each; in between nothing runs.
 * Threads  the loop's.
 */
#ifndef AGENT_ROUNDS_H
#define AGENT_ROUNDS_H

#include "agent/reading.h"

struct rounds;

enum rounds_mode { ROUNDS_FOREVER, ROUNDS_ONE };

struct rounds_counts {
    uint64_t rounds;
    uint64_t rounds_missed; /* the clock had gone past them */
    uint64_t lists_failed;
    uint64_t reads_skipped; /* the last one took over a tenth of the interval */
    uint64_t reads_waiting; /* the last one has not returned, or all places are taken */
    uint64_t hanging;       /* processes past their deadline that are not gone; now */
    struct reading_counts reading;
};

struct rounds_opts {
    const struct agent_opts *agent;
    uv_loop_t *loop;
    struct commit_log *log;
    struct observe *observe;
    const struct agent_report *report;
    enum rounds_mode mode;
    /* All of arg: a round begins; batches were committed; the one round is over. */
    void (*begin_fn)(void *arg);
    void (*committed_fn)(void *arg);
    void (*finished_fn)(void *arg);
    void *arg;
};

/* What opts points to must outlive the rounds.  Errors: -ENOMEM. */
int rounds_start(const struct rounds_opts *opts, struct rounds **ret);
/* Nothing is read any more; what comes of reads under way is as if it had not been. */
void rounds_stop(struct rounds *rounds);
void rounds_count(const struct rounds *rounds, struct rounds_counts *ret);

#endif
