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

#endif
