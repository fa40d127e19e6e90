/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats - counters of jobs as series of the Prometheus language; the room's door. */
#ifndef API_JOBSTATS_JOBSTATS_H
#define API_JOBSTATS_JOBSTATS_H

#include "api/jobstats/job_series.h"
#include "api/jobstats/series_name.h"

#endif
