/* SPDX-License-Identifier: Apache-2.0 */
/* job_list_table - jobs of a batch system as tables: a row a job, or their load. */
#ifndef REPORT_JOB_LIST_TABLE_H
#define REPORT_JOB_LIST_TABLE_H

#include "base/table/table.h"
#include "source/scheduler/scheduler.h"

struct job_list_table_opts {
    struct job_query query; /* cluster and node: empty for any; the window of
                             * node-hours */
    const char *id;         /* only the last run of this job; NULL: any */
    const char *array;      /* only its elements; NULL: any */
    bool has_window;        /* only jobs that ran in the window of query, on its node;
                             * else those, too, that have not begun */
    bool has_to;            /* a running job has node-hours up to the window's end */
    bool names_nodes;       /* each node, in place of sets */
    const struct table *io; /* columns job, read_bytes, write_bytes: what jobs moved
                             * in the window; NULL: not known */
};

/* Append columns and a row a job to table, which is empty; with a user in the query a
 * note of the sums.  What a job moved that ran more than once stands in its first row.
 * The table copies what it shows; running out of memory is table_error(). */
void job_list_table(const struct job_list *list, const struct job_list_table_opts *opts,
                    struct table *table);
/* One row: how many jobs, nodes and node-hours; a note where nodes are not known. */
void job_load_table(const struct job_list *list, const struct job_query *query,
                    struct table *table);

#endif
