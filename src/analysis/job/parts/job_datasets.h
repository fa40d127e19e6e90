/* SPDX-License-Identifier: Apache-2.0 */
/* job_datasets - the datasets that a job had mounted.
 *
 * Texts lie in the context's arena.  Threads  none inside.
 */
#ifndef ANALYSIS_JOB_PARTS_JOB_DATASETS_H
#define ANALYSIS_JOB_PARTS_JOB_DATASETS_H

#include "model/model.h"

struct job_mounted {
    const char *digest, *name, *path, *options, *command; /* "": not known */
    const char *hosts;                                    /* "n[1-8]" */
    size_t host_count;
    int64_t first_ns, last_ns; /* mounted so by a step of it */
    bool is_private;
};

struct job_datasets {
    size_t hidden_count;  /* that the client may not see */
    size_t foreign_count; /* rows of hosts that are not its nodes: left out */
    const struct job_mounted *items; /* by path, name and digest */
    size_t count, capacity;
};

struct job_context;

/* Texts of mounted are copied. */
void job_context_add_dataset(struct job_context *context,
                             const struct job_mounted *mounted);
/* After the last one. */
void job_context_sort_datasets(struct job_context *context);

#endif
