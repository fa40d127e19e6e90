/* SPDX-License-Identifier: Apache-2.0 */
/* launch - the programs of a session's nodes: children here, by srun, or by ssh.
 *
 *     local   baro-session-node, so many times        ranks of this machine
 *     srun    srun ... baro-session-node, once        the nodes of an allocation
 *     remote  COMMAND HOST baro-session-node, each    "ssh -o BatchMode=yes"
 *
 * Each has the invitation on its standard input, a pipe that stays open: it ends with
 * this process, however that ends, and with it they do.
 * Threads  one.
 */
#ifndef JOBSESSION_LAUNCH_H
#define JOBSESSION_LAUNCH_H

#include "jobsession/invitation.h"

enum launch_kind { LAUNCH_LOCAL, LAUNCH_SRUN, LAUNCH_REMOTE };

struct launch_opts {
    enum launch_kind kind;
    const struct hostset *hosts; /* of ranks 1, 2, ... */
    const char *command;         /* of remote: words */
};

struct node_program {
    pid_t pid; /* 0: it has ended */
    int fd;
};

struct launch {
    struct node_program *programs;
    size_t count;
};

/* Errors: of pipe and spawn, with a line in err; what was started is ended by
 * launch_end(). */
int launch_start(const struct launch_opts *opts, const struct invitation *invitation,
                 struct launch *ret, struct err *err);
/* How many have ended by themselves. */
size_t launch_ended(struct launch *launch);
/* Close the pipes; who is there after wait_ns is ended by signals. */
void launch_end(struct launch *launch, int64_t wait_ns);

#endif
