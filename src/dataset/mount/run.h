/* SPDX-License-Identifier: Apache-2.0 */
/* run - a command with datasets: in a mount namespace of its own, until it ends.
 *
 * root has a mount namespace alone; a user a user namespace, too, in which only the own
 * number is known: files of others belong to the overflow user there.
 * Threads  none; it forks.
 */
#ifndef DATASET_MOUNT_RUN_H
#define DATASET_MOUNT_RUN_H

#include "base/err.h"

#include <stddef.h>

struct run_opts {
    const char *socket;          /* of the agent */
    const char *const *datasets; /* "NAME", or "NAME:/path" */
    size_t count;
    const char *const *views; /* names, in the order in which they are applied */
    size_t view_count;
    char *const *command;
    size_t word_count; /* of the command */
};

/* *ret_status: the command's exit status, 128 and the signal where it was killed, 127
 * and 126 where it could not be started.  Errors: those of the agent and of mounting,
 * with a line: the command was not started. */
int run_with_datasets(const struct run_opts *opts, int *ret_status, struct err *err);

#endif
