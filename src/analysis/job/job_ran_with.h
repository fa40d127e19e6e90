/* SPDX-License-Identifier: Apache-2.0 */
/* job_ran_with - the executables and libraries that a job ran, and the files that it
 * had open, as its owner let them be recorded.
 *
 * Texts lie in the context's arena.  Threads  none inside.
 */
#ifndef ANALYSIS_JOB_JOB_RAN_WITH_H
#define ANALYSIS_JOB_JOB_RAN_WITH_H

#include "model/model.h"

struct job_ran_file {
    enum job_file_kind kind;
    const char *name;     /* text form; "#..." is the hash of a path */
    const char *build_id; /* "": none */
    int64_t size, mtime_s;
};

struct job_ran_with {
    bool is_known;  /* something is recorded */
    bool is_hidden; /* for an administrator: how many there are, and no more */
    size_t counts[JOB_FILE_KIND_COUNT];
    const struct job_ran_file *items; /* executables first, each kind by its name */
    size_t count, capacity;
};

struct job_context;

/* Add one; of JOB_FILE_MORE it is counted alone, and of what is hidden. */
void job_context_add_file(struct job_context *context, const struct job_file *file);
/* After the last one. */
void job_context_sort_files(struct job_context *context);

/* By kind, name and build-id: below 0, 0, above 0. */
int job_ran_file_compare(const struct job_ran_file *a, const struct job_ran_file *b);

#endif
