/* SPDX-License-Identifier: Apache-2.0 */
/* gpfs_recorder - what a cluster of GPFS does, stored step by step.
 *
 *     timer ──▶ mmpmon -p in a process of its own ──▶ sums ──▶ DIR/gpfs-DATE.csv
 *
 * A round that takes longer than a step is waited for; the steps it covers are not
 * known, and no second mmpmon is started beside it.
 *
 * Threads  one; it has a loop of its own, and ends at SIGTERM and SIGINT.
 */
#ifndef AGENT_RECORD_GPFS_RECORDER_H
#define AGENT_RECORD_GPFS_RECORDER_H

#include "base/err.h"
#include "base/options.h"

#include <stdint.h>

/* The texts are the caller's. */
struct gpfs_recorder_opts {
    const char *dir;                          /* of the files */
    const char *cluster;                      /* its name in the rows */
    const char *side;                         /* "client", "server" */
    const char *command;                      /* NULL: mmpmon on the path */
    struct option_list nodes;                 /* through mmpmon; none: this one */
    int64_t step_ns;                          /* whole seconds */
    uint64_t rounds;                          /* 0: until a signal */
    void (*log)(void *arg, const char *text); /* a line; NULL: nothing is reported */
    void *log_arg;
};

/* Errors: -EINVAL (what is missing, or not valid). */
int gpfs_recorder_check(const struct gpfs_recorder_opts *opts, struct err *err);

/* Record until opts->rounds or a signal.  *ret_has_lost: a step was lost.
 * Errors: -EINVAL (opts), what writing the requests of mmpmon says, -ENOMEM. */
int gpfs_recorder_run(const struct gpfs_recorder_opts *opts, bool *ret_has_lost,
                      struct err *err);

#endif
