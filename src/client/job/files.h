/* SPDX-License-Identifier: Apache-2.0 */
/* job_files - lists of jobs out of files, of whichever batch system. */
#ifndef CLIENT_JOB_FILES_H
#define CLIENT_JOB_FILES_H

#include "base/err.h"
#include "base/options.h"
#include "client/series/series.h"
#include "source/scheduler/scheduler.h"

/* The options of every command that reads them; NULL and empty: the default. */
struct job_files_args {
    const char *format;
    const char *zone; /* of times without one; NULL: as user_time_zone() */
    struct option_list map;
    series_log_fn *log; /* what could not be read; NULL: it is not reported */
    void *log_arg;
};

struct job_files {
    struct job_names names;
    struct job_text_opts opts;
    uint64_t local_count; /* times without a zone, of the file being read */
    const char *path;     /* its name, for messages */
    series_log_fn *log;   /* as in args */
    void *log_arg;
};

/* Fill *files, which opts then point into: it must stay where it is.
 * Errors: -EINVAL (misuse; err says of which option), -E2BIG (too many of map). */
int job_files_init(struct job_files *files, const struct job_files_args *args,
                   struct err *err);

/* Add the jobs of a file ("-" is standard input), gzip and Zstandard too, piece by
 * piece.  What cannot be read is reported to the log.  Errors: what open says, as
 * job_text_feed; err names the file. */
int job_files_read(struct job_files *files, const char *path, struct job_list *list,
                   struct err *err);

struct client_endpoint;

/* Which runs are requested of a barod; NULL and JOB_TIME_NONE: any. */
struct job_files_filter {
    const char *id, *array, *cluster, *node, *user;
    const char *fs; /* of clusters that use it, as that barod is configured */
    int64_t from_ns, to_ns;
};

/* The same of a barod, by the name that client_endpoint_is_server() knows; base: what
 * "barod" means.  That it has more runs than one response holds is reported to the log.
 * Errors: as requests. */
int job_files_query(struct job_files *files, const char *name,
                    const struct client_endpoint *base,
                    const struct job_files_filter *filter, struct job_list *list,
                    struct err *err);

struct job_footprints_request {
    const char *columns; /* METRIC[:STAT],... as in run_metrics.h */
    const char *worst;   /* one of them; NULL: the newest start first */
    uint64_t limit;      /* 0: all that one response holds */
};

/* Runs with what is stored of their nodes' metrics, into ret, which is initialised and
 * empty.  Errors: as requests. */
int job_files_footprints(const char *name, const struct client_endpoint *base,
                         const struct job_files_filter *filter,
                         const struct job_footprints_request *request,
                         struct table *ret, struct err *err);

#endif
