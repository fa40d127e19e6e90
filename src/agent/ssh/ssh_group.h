/* SPDX-License-Identifier: Apache-2.0 */
/* ssh_group - servers that are read through ssh at the same time, round after round.
 *
 * Threads  one at a time.
 */
#ifndef AGENT_SSH_SSH_GROUP_H
#define AGENT_SSH_SSH_GROUP_H

#include "agent/ssh/ssh_host.h"
#include "base/table/table.h"

#define SSH_GROUP_HOSTS_MAX 256

struct ssh_group;

struct ssh_group_opts {
    const char *hosts;   /* a host set: oss[01-08],mds1 */
    const char *command; /* NULL: ssh; else a shell's command that takes its place */
    int64_t interval_ms;
    int64_t timeout_ns; /* of one round */
    ssh_row_fn *fn;
    /* Between pieces, when a signal came: whether to end the round; NULL: never. */
    bool (*is_ended_fn)(void *arg);
    void *arg; /* of both */
};

/* Errors: -EINVAL (no host set, too many hosts, a host's name), -ENOMEM. */
int ssh_group_new(const struct ssh_group_opts *opts, struct ssh_group **ret,
                  struct err *err);
void ssh_group_free(struct ssh_group *group);
DEFINE_AUTO(struct ssh_group, ssh_group_free);

/* Read all hosts once; t_ms stands for the instant.  A host that fails has a problem,
 * and does not fail the round.  Errors: what starting processes returns. */
int ssh_group_round(struct ssh_group *group, int64_t t_ms, struct err *err);

/* Notes of the last round: the problem of each host that has one, then how many targets
 * of how many servers were read. */
void ssh_group_add_notes(const struct ssh_group *group, struct table *table);

#endif
