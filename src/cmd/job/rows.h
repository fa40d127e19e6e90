/* SPDX-License-Identifier: Apache-2.0 */
/* job_rows - jobs of a batch system as rows of a table. */
#ifndef CMD_JOB_ROWS_H
#define CMD_JOB_ROWS_H

#include "base/table/table.h"
#include "source/scheduler/scheduler.h"

struct job_rows_opts {
    int64_t from_ns, to_ns; /* the window that node-hours are of */
    bool has_to;            /* a running job has node-hours up to there */
    bool names_nodes;       /* each node, in place of sets */
};

void job_rows_columns(struct table *table);
void job_rows_add(struct table *table, const struct job *job,
                  const struct job_rows_opts *opts);

#endif
