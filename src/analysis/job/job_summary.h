/* SPDX-License-Identifier: Apache-2.0 */
/* job_summary - all that is known of one job, put together as one row. */
#ifndef ANALYSIS_JOB_JOB_SUMMARY_H
#define ANALYSIS_JOB_JOB_SUMMARY_H

#include "analysis/job/fabric.h"
#include "analysis/job/job_health.h"
#include "analysis/job/job_neighbours.h"
#include "analysis/job/job_topology.h"
#include "analysis/job/job_weather.h"

/* What the site file says of the job's file system. */
struct job_site {
    const char *name;        /* NULL: nothing is said of it */
    double peak_bytes_per_s; /* 0: not known, as each count */
    uint64_t servers, targets, io_nodes;
};

struct job_summary {
    const char *log;       /* where the facts come from */
    const char *fs_source; /* where the weather comes from; NULL: nowhere */
    const char *fs_series; /* the same in full, so that it can be read again; NULL */
    const char *clocks;    /* which were corrected by what; NULL: none */
    struct job_site site;
    const struct job_facts *facts;
    struct job_weather weather;
    struct job_health health;         /* all zero: nobody asked */
    struct job_neighbours neighbours; /* likewise */
    struct job_topology topology;     /* likewise */
    struct fabric fabric;             /* likewise; the caller's to be done with */
};

/* All columns; doc/formats/job-summary.md says what each is.  The biggest place of the
 * direction with more bytes is the job's file system. */
void job_summary_put(const struct job_summary *summary, struct job_row *row);

/* The mount point that a job's bytes went to or came from; NULL: none. */
const char *job_summary_mount(const struct job_facts *facts);

#endif
