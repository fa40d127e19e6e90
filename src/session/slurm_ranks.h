/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_ranks - the nodes of the allocation that this process runs in.
 *
 * The nodes of the step (SLURM_STEP_NODELIST), else of the job (SLURM_JOB_NODELIST), in
 * Slurm's order: all tasks of a step find the same list, so a node's rank is its
 * position there.
 */
#ifndef SESSION_SLURM_RANKS_H
#define SESSION_SLURM_RANKS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/model.h"

#include <stdint.h>

struct slurm_ranks {
    struct hostset *hosts;
    uint32_t rank; /* this node's */
    uint32_t count;
};

/* Errors: -ENOENT (no allocation), -EINVAL (the list; a node twice in it; this node is
 * not in it), -E2BIG, -ENOMEM; each with a line in err, and *ret is untouched. */
int session_slurm_ranks(struct slurm_ranks *ret, struct err *err);
void slurm_ranks_done(struct slurm_ranks *ranks);
DEFINE_AUTO_DONE(struct slurm_ranks, slurm_ranks_done);

#endif
