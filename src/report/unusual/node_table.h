/* SPDX-License-Identifier: Apache-2.0 */
/* node_table - nodes that differ from comparable ones, as a table. */
#ifndef REPORT_UNUSUAL_NODE_TABLE_H
#define REPORT_UNUSUAL_NODE_TABLE_H

#include "analysis/node/node.h"
#include "base/table/table.h"

struct node_table_opts {
    const struct node_results *results;
    const struct node_check_opts *check;
    const char *const *jobs; /* their ids, as the check counts them */
    size_t job_count;
    size_t limit;     /* rows; 0: all */
    bool is_jobs_cut; /* jobs are missing: there were too many */
};

/* One row a finding, in their order; notes state what was compared, and what was not.
 * Errors: -ENOMEM, in the table. */
void node_table_make(const struct node_table_opts *opts, struct table *ret);

#endif
