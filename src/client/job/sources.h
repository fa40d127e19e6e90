/* SPDX-License-Identifier: Apache-2.0 */
/* sources - all that options name of a job's log, and what surrounded the job, as its
 * context.
 *
 *     log ──▶ facts ─┐
 *     series ────────┤ of the job's seconds
 *     health ────────┼──▶ context
 *     jobs ──────────┤
 *     topology ──────┘
 *
 * What is the same for all jobs is read once, before processes are forked; each of them
 * opens the series that its jobs need.
 */
#ifndef CLIENT_JOB_SOURCES_H
#define CLIENT_JOB_SOURCES_H

#include "analysis/climate/climate.h"
#include "analysis/job/job.h"
#include "analysis/weather/weather.h"
#include "base/options.h"
#include "base/zone.h"
#include "client/job/files.h"
#include "client/series/series.h"
#include "source/health/health.h"
#include "source/site/site.h"

struct job_sources_opts {
    struct option_list series;
    struct option_list health;
    struct option_list jobs;
    struct option_list topology;
    struct option_list clocks; /* SOURCE=OFFSET */
    const char *cluster;       /* NULL: the job's own */
    struct series_opts access;
    const char *site;          /* NULL: file systems are called after their mounts */
    int64_t health_age_max_ns; /* 0: an hour */
};

/* Tables of runs to compare with, and what their columns mean. */
struct job_climate_names {
    const char *const *tables;
    size_t count;
    const char *map;
};

struct job_sources {
    const struct job_sources_opts *opts;
    const struct job_climate_names *climate; /* NULL: none */
    struct series_set shelf;
    struct strbuf *health_texts;     /* one for each of opts->health */
    struct health_dir **health_dirs; /* NULL: it is a file, and in health_texts */
    struct span *health_spans;       /* of one job */
    struct job_list jobs;
    struct job_list jobs_received; /* from a barod, of the time of the job made last */
    const char *health_server;     /* one of opts->health; NULL: all are files */
    const char *jobs_server;       /* one of opts->jobs; NULL: all are files */
    struct node_map nodes;
    struct job_files job_files;
    struct site_file *site;   /* NULL: none is given */
    struct clock_list clocks; /* the site's and those that were given */
    struct strbuf clock_words;
    struct strbuf names, reference; /* of the series given last */
    struct job_inputs inputs;       /* filled by all of this */
};

/* opts must outlive *ret.  Bad lines of lists of jobs and topologies are reported to
 * opts->access.log. After a failure *ret is still to be done with. */
int job_sources_open(const struct job_sources_opts *opts, struct job_sources *ret,
                     struct err *err);
void job_sources_done(struct job_sources *sources);
DEFINE_AUTO_DONE(struct job_sources, job_sources_done);

/* Let inputs have runs to compare with; names outlive the sources. */
void job_sources_compare(struct job_sources *sources,
                         const struct job_climate_names *names);

/* The texts of health that may hold readings of a window: job_sources_health_max() of
 * them in ret, and as much room for those of directories, which is empty and the
 * caller's. */
size_t job_sources_health_max(const struct job_sources *sources);
int job_sources_health(struct job_sources *sources, int64_t from_ns, int64_t to_ns,
                       struct strbuf *room, struct span *ret, struct err *err);

/* The jobs of opts->jobs; where a barod has them those that ran in the window, until
 * the next call. */
int job_sources_jobs(struct job_sources *sources,
                     const struct job_target_request *request,
                     const struct job_list **ret, struct err *err);

#endif
