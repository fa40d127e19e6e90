/* SPDX-License-Identifier: Apache-2.0 */
/* mount - the door of dataset/mount on a node: a small mounter, and who serves images.
 *
 *     baro-dataset-agent (root)      mounts, unmounts, hands mounts to commands
 *       ├─ serves FUSE (baro-dataset): a forwarder; all that comes from a network is
 *       │  read here; it is started again where it ends, and no read is lost
 *       └─ one process (root) for each command that is connected
 *
 * Threads  agent_run() has none and forks.
 */
#ifndef DATASET_MOUNT_MOUNT_H
#define DATASET_MOUNT_MOUNT_H

#include "dataset/forwarder/forwarder.h"
#include "dataset/mount/profile_change.h"
#include "dataset/mount/run.h"
#include "dataset/mount/where.h"
#include "dataset/visit/visit.h"

#include <sys/types.h>

#define AGENT_USER "baro-dataset"
/* Shorter ones would end between two renewals; the repository refuses longer ones. */
#define AGENT_LEASE_S_MIN 60U
#define AGENT_LEASE_S_MAX (7U * 86400U)

struct agent_opts {
    const char *directory; /* see node_mounts */
    const char *user;      /* who serves images */
    uint64_t lease_s;
    const struct forwarder_opts *forwarder;
    const struct forwarder_report *report;
};

/* Until SIGTERM or SIGINT.  Errors: -EPERM (not root), -ENOENT (no such user), those of
 * node_mounts_make() and of the socket, with a line. */
int agent_run(const struct agent_opts *opts, struct err *err);
/* Whether it could run, as far as that is known without changing anything. */
int agent_check(const struct agent_opts *opts, const struct forwarder_opts *forwarder,
                struct err *err);

#endif
