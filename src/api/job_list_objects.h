/* SPDX-License-Identifier: Apache-2.0 */
/* job_list_objects - GET /v1/jobs?format=json: runs as baro job list prints them with
 * --output json, an array of objects; private to api.
 *
 *     records ──▶ job_list ──────────────────────┐
 *     rows of jobstats, of one user in a window ─┴▶ report's table ──▶ objects
 */
#ifndef API_JOB_LIST_OBJECTS_H
#define API_JOB_LIST_OBJECTS_H

#include "api/api_private.h"

struct job_list_request {
    const char *id, *array; /* NULL: any, as is a span of the filter without data */
    const char *user;
    struct span fs;   /* only jobs of clusters that use it */
    bool is_load;     /* one row: how many jobs, nodes and node-hours */
    bool names_nodes; /* each node, in place of sets */
    struct job_scope scope;
};

/* filter: with its limit, beyond which ret->has_more is set.  Errors: as
 * records_find_jobs(), -ENOMEM, -E2BIG (a load of more than the limit, which would be
 * one of a part), what the budget refuses. */
int job_list_objects(const struct api_readers *readers, const struct job_filter *filter,
                     const struct job_list_request *request, struct api_result *ret,
                     struct err *err);

#endif
