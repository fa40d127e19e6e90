/* SPDX-License-Identifier: Apache-2.0 */
/* job_ran_with - the executables and libraries that a job ran, and the files that it
 * had open, as its owner let them be recorded.
 *
 * Texts lie in the context's arena.  Threads  none inside.
 */
#ifndef ANALYSIS_JOB_PARTS_JOB_RAN_WITH_H
#define ANALYSIS_JOB_PARTS_JOB_RAN_WITH_H

#include "model/model.h"

struct job_ran_file {
    enum job_file_kind kind;
    const char *name;     /* text form; "#..." is the hash of a path */
    const char *build_id; /* "": none */
    const char *version;  /* of what is hashed; "": not known */
    int64_t size;         /* -1: not known */
    int64_t mtime_s;      /* 0: not known */
    int64_t last_ns;      /* when it was seen last */
};

/* A node on which a run of its owner looked. */
struct job_ran_host {
    const char *name;
    bool has_ended;  /* it looked until the run's end */
    int64_t last_ns; /* else it was heard of last */
};

struct job_ran_with {
    bool is_known;  /* something is recorded */
    bool is_hidden; /* for an administrator: how many there are, and no more */
    size_t counts[JOB_FILE_KIND_COUNT];
    const struct job_ran_file *items; /* executables first, each kind by its name */
    size_t count, capacity;
    const struct job_ran_host *hosts; /* by name; one for each run there */
    size_t host_count, host_capacity;
    size_t missing;         /* nodes of the job where no session was */
    const char *missing_at; /* the first of them */
    size_t foreign;         /* rows of hosts that are not its nodes: left out */
};

/* All that was open at a trigger is there, on all nodes of the job, until its end. */
bool job_ran_with_is_whole(const struct job_ran_with *ran);

struct job_context;

/* What was seen of a file, or stated of a host, until last_ns; of what is hidden it is
 * counted alone. */
void job_context_add_file(struct job_context *context, const struct job_file *file,
                          int64_t last_ns);
/* A row of a host that is not a node of the job. */
void job_context_add_foreign(struct job_context *context);
/* After the last one: sorts, and what several runs of the job had is one.  nodes: of
 * the job, where they are known. */
void job_context_sort_files(struct job_context *context, const struct hostset *nodes);

#endif
