/* SPDX-License-Identifier: Apache-2.0 */
/* where - what is mounted on this node: the caller's own, of root all. */
#ifndef DATASET_MOUNT_WHERE_H
#define DATASET_MOUNT_WHERE_H

#include "base/err.h"
#include "base/table/table.h"

/* socket: of the agent.  A row each, by job and path: user, job, dataset, digest, path,
 * options, command.  Errors: those of the agent, with a line. */
int where_table(const char *socket, struct table *out, struct err *err);

#endif
