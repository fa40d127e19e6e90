/* SPDX-License-Identifier: Apache-2.0 */
/* window_sources - windows of time out of what options name: series, fabrics, health,
 * jobs, runs.
 *
 *     options ─▶ open, once ─┬▶ read FROM TO ─▶ window context
 *                            └▶ read FROM TO ─▶ window context ...
 */
#ifndef CLIENT_JOB_WINDOW_SOURCES_H
#define CLIENT_JOB_WINDOW_SOURCES_H

#include "client/climate/climate.h"
#include "client/job/sources.h"

struct window_sources_opts {
    struct job_sources_opts sources;
    struct option_list climate; /* tables of runs; none: no runs */
    const char *map;            /* what their columns mean; with climate only */
    const char *filesystem;     /* as weather_series_init() */
    int64_t against_ns; /* other days so long before a window; 0: all there are */
};

struct window_sources {
    const struct window_sources_opts *opts;
    struct job_sources sources;
    struct weather_series series;
    struct climate_runs climate;
};

/* Where nothing is named: the series and the readings of targets of the barod. */
void window_sources_default(struct window_sources_opts *opts);

/* opts must outlive *ret.  What the user should know is reported to
 * opts->sources.access.log.  After a failure, too, *ret is to be done with.
 * Errors: -EINVAL (options), -ENOENT (a file, a file system of this name), -ENOMEM;
 * what opening says. */
int window_sources_open(const struct window_sources_opts *opts,
                        struct window_sources *ret, struct err *err);
void window_sources_done(struct window_sources *sources);
DEFINE_AUTO_DONE(struct window_sources, window_sources_done);

/* Read [from_ns, to_ns); any number of windows, one after the other.  *ret is the
 * caller's; its jobs are valid until the next read where a barod has them (opts->jobs),
 * its other texts as long as the sources.  Errors: -EINVAL (the window ends before it
 * begins), -ENOMEM; what reading says. */
int window_sources_read(struct window_sources *sources, int64_t from_ns, int64_t to_ns,
                        struct window_context *ret, struct err *err);

/* The series of a window's weather, for a picture; valid until the next request.
 * Errors: -EINVAL (no series are named); what reading says. */
int window_sources_series(struct window_sources *sources,
                          const struct window_context *window, struct lmt_series ***ret,
                          size_t *ret_count, struct err *err);

#endif
