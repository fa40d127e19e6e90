/* SPDX-License-Identifier: Apache-2.0 */
/* profile_change - a dataset's profile is recorded, set, dropped or printed: what
 * `baro dataset profile` does.
 * Threads  none; it forks.
 */
#ifndef DATASET_MOUNT_PROFILE_CHANGE_H
#define DATASET_MOUNT_PROFILE_CHANGE_H

#include "dataset/mount/run.h"
#include "dataset/repository/repository.h"

enum profile_verb {
    PROFILE_RECORD,
    PROFILE_SET,
    PROFILE_DROP,
    PROFILE_PRINT,
};

struct profile_change {
    enum profile_verb verb;
    const char *dataset;   /* "NAME", or of RECORD "NAME:/path" */
    const char *socket;    /* of the agent */
    char *const *operands; /* behind the dataset: a command, a file, nothing */
    size_t operand_count;
};

/* Of a command line.  Errors: -EINVAL (no such verb, or another number of operands). */
int profile_change_parse(char *const *operands, size_t count,
                         struct profile_change *ret);
/* The name without a path.  Errors: -ENAMETOOLONG with a line. */
int profile_change_name(const struct profile_change *change,
                        char out[static DATASET_TAG_MAX + 1], struct err *err);
/* *ret_status: of RECORD the command's exit status, else 0.  What is printed is added
 * to out.  Errors: those of run_with_datasets(), of reading the file, of the
 * repository, with a line. */
int profile_change_do(const struct profile_change *change,
                      struct repository *repository, const struct digest *name,
                      struct strbuf *out, int *ret_status, struct err *err);

#endif
