/* SPDX-License-Identifier: Apache-2.0 */
/* job_files - lists of jobs out of files, of whichever batch system. */
#ifndef CMD_JOB_FILES_H
#define CMD_JOB_FILES_H

#include "base/err.h"
#include "base/options.h"
#include "source/scheduler/scheduler.h"

/* The options of every command that reads them; NULL and empty: the default. */
struct job_files_args {
    const char *format;
    const char *zone;
    struct option_list map;
};

struct job_files {
    struct job_names names;
    struct job_text_opts opts;
    const char *path; /* of the file being read, for messages */
};

/* Fill *files, which opts then point into: it must stay where it is.
 * Errors: -EINVAL (misuse; err says of which option). */
int job_files_init(struct job_files *files, const struct job_files_args *args,
                   struct err *err);

/* Add the jobs of a file ("-" is standard input), gzip and Zstandard too, piece by
 * piece.  What cannot be read is named on standard error.  Errors: what open says, as
 * job_text_feed; err names the file. */
int job_files_read(struct job_files *files, const char *path, struct job_list *list,
                   struct err *err);

struct client_endpoint;

/* Which runs a barod is asked for; NULL and JOB_TIME_NONE: any. */
struct job_files_wish {
    const char *id, *cluster, *node;
    int64_t from_ns, to_ns;
};

/* The same of a barod, by the name that client_endpoint_is_server() knows; way: what
 * "barod" means.  That it has more runs than it tells at once is said on standard
 * error. */
int job_files_ask(struct job_files *files, const char *name,
                  const struct client_endpoint *way, const struct job_files_wish *wish,
                  struct job_list *list, struct err *err);

#endif
