/* SPDX-License-Identifier: Apache-2.0 */
/* run - a command with datasets: in a mount namespace of its own, until it ends.
 *
 * root has a mount namespace alone; a user a user namespace, too, in which only the own
 * number is known: files of others belong to the overflow user there.
 * It may be root in that one: its number is mapped to 0, and what the image has of root
 * is the user's, in the mount that it has of it.
 * Threads  none; it forks.
 */
#ifndef DATASET_MOUNT_RUN_H
#define DATASET_MOUNT_RUN_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_BINDS_MAX 16U
#define RUN_STATUS_NOT_FOUND 127
#define RUN_STATUS_NOT_STARTED 126

struct run_opts {
    const char *socket;          /* of the agent */
    const char *const *datasets; /* "NAME", or "NAME:/path" */
    size_t count;
    const char *const *views; /* names, in the order in which they are applied */
    size_t view_count;
    const char *root;         /* the dataset that is the root; NULL: none */
    uint64_t writable_bytes;  /* what may be written of each; 0: nothing */
    bool is_mapped_to_root;   /* a user is root in its user namespace */
    const char *const *binds; /* directories that stay reachable, besides home and
                               * scratch */
    size_t bind_count;
    const char *hooks; /* a directory of programs of the site */
    /* What the command reads of the first dataset, or of the root, within half a
     * minute, as text: to this file, and here.  NULL: not. */
    const char *record_path;
    struct strbuf *recorded;
    char *const *command;
    size_t word_count; /* of the command */
};

/* *ret_status: the command's exit status, 128 and the signal where it was killed, 127
 * and 126 where it could not be started.  Errors: those of the agent and of mounting,
 * with a line: the command was not started. */
int run_with_datasets(const struct run_opts *opts, int *ret_status, struct err *err);

#endif
