/* SPDX-License-Identifier: Apache-2.0 */
/* ssh_host - one Lustre server that is read through ssh, round after round.
 *
 *     ssh HOST baro-ssh-read ──pipe──▶ list of targets, job_stats ──▶ ssh_reader ──▶ fn
 *
 * One child a round.
 * Threads  one at a time.
 */
#ifndef AGENT_SSH_SSH_HOST_H
#define AGENT_SSH_SSH_HOST_H

#include "agent/ssh/ssh_reader.h"
#include "base/err.h"

#include <poll.h>
#include <sys/types.h>

struct ssh_host;

struct ssh_host_opts {
    const char *name;
    const char *command; /* NULL: ssh; else a shell's command that takes its place */
    int64_t interval_ms;
    ssh_row_fn *fn;
    void *arg;
};

/* opts is copied, its texts must outlive the host.  Errors: -EINVAL (the name),
 * -ENOMEM.
 */
int ssh_host_new(const struct ssh_host_opts *opts, struct ssh_host **ret,
                 struct err *err);
void ssh_host_free(struct ssh_host *host);
DEFINE_AUTO(struct ssh_host, ssh_host_free);

/* Start reading; t_ms stands for the instant of the read.  Errors: what pipe and spawn
 * say, -EBUSY (the last read is not over). */
int ssh_host_start(struct ssh_host *host, int64_t t_ms, struct err *err);
bool ssh_host_is_busy(const struct ssh_host *host);
/* What to poll for: up to two descriptors into fds; how many. */
size_t ssh_host_poll(const struct ssh_host *host, struct pollfd fds[static 2]);
/* Read what there is; the round ends with the text. */
void ssh_host_read(struct ssh_host *host);
/* It takes too long: end the child, what was whole stays. */
void ssh_host_give_up(struct ssh_host *host);

const char *ssh_host_name(const struct ssh_host *host);
/* What went wrong in the last round; "" when nothing did. */
const char *ssh_host_problem(const struct ssh_host *host);
size_t ssh_host_target_count(const struct ssh_host *host);

#endif
