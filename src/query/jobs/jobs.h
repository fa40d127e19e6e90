/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - the queries about jobstats, from a selection to tables; the room's door. */
#ifndef QUERY_JOBS_JOBS_H
#define QUERY_JOBS_JOBS_H

#include "query/jobs/query.h"
#include "query/jobs/user_names.h"

#endif
