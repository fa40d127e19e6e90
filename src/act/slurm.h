/* SPDX-License-Identifier: Apache-2.0 */
/* slurm - sinfo and scontrol, each a process with a deadline. */
#ifndef ACT_SLURM_H
#define ACT_SLURM_H

#include "act/node_list.h"

struct slurm_opts {
    const char *sinfo, *scontrol; /* programs, by path or name */
    int64_t timeout_ns;
};

/* node NULL: all.  Errors: -ETIMEDOUT, -EIO (it failed; err has what it printed),
 * -EBADMSG, those of posix_spawn(3).  Nothing is known of any node then. */
int slurm_nodes(const struct slurm_opts *opts, const char *node, struct node_list *ret,
                struct err *err);
int slurm_drain(const struct slurm_opts *opts, const char *node, const char *reason,
                struct err *err);
int slurm_resume(const struct slurm_opts *opts, const char *node, struct err *err);

#endif
