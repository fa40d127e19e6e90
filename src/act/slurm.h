/* SPDX-License-Identifier: Apache-2.0 */
/* slurm - sinfo and scontrol, each a process with a deadline.
 *
 * Which Slurm they are of is not left to the environment: what chooses a cluster, a
 * configuration or a format there is not passed on.
 */
#ifndef ACT_SLURM_H
#define ACT_SLURM_H

#include "act/node_list.h"

struct slurm_opts {
    const char *sinfo, *scontrol; /* programs, by path or name */
    const char *conf;             /* slurm.conf; NULL: Slurm's own default */
    int64_t timeout_ns;
};

/* Is it a variable of the environment that Slurm's programs are not to have?  "A=b". */
bool slurm_variable_is_dropped(const char *variable);

/* ClusterName, out of what scontrol show config printed.  Errors: -EBADMSG. */
int slurm_config_cluster(struct span text, struct span *ret);
/* The same of the Slurm that scontrol changes.  Errors: as slurm_nodes(). */
int slurm_cluster(const struct slurm_opts *opts, struct strbuf *ret, struct err *err);

/* node NULL: all.  Errors: -ETIMEDOUT, -EIO (it failed; err has what it printed),
 * -EBADMSG, those of bounded_command_run().  Nothing is known of any node then. */
int slurm_nodes(const struct slurm_opts *opts, const char *node, struct node_list *ret,
                struct err *err);
int slurm_drain(const struct slurm_opts *opts, const char *node, const char *reason,
                struct err *err);
int slurm_resume(const struct slurm_opts *opts, const char *node, struct err *err);

#endif
