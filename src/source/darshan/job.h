/* SPDX-License-Identifier: Apache-2.0 */
/* job - who ran what, when, and what was mounted there. */
#ifndef SOURCE_DARSHAN_JOB_H
#define SOURCE_DARSHAN_JOB_H

#include "base/arena.h"
#include "source/darshan/stream.h"

struct darshan_mount {
    const char *path;
    const char *type; /* of the file system: "lustre" */
};

/* "h = romio_no_indep_rw=true": divided at the first '='. */
struct darshan_metadata {
    const char *key;
    const char *value;
};

/* All texts live as long as the log; none is NULL. */
struct darshan_job {
    int64_t uid;
    int64_t start_s; /* Unix time, UTC */
    int64_t start_ns;
    int64_t end_s;
    int64_t end_ns;
    bool has_ns; /* formats before 3.41 know whole seconds */
    int64_t nprocs;
    int64_t jobid;
    const char *exe; /* with its arguments; may be cut by Darshan */
    struct darshan_metadata *metadata;
    size_t metadata_count;
    struct darshan_mount *mounts; /* the longest path first */
    size_t mount_count;
};

/* Read it out of its region's stream.  Errors: -ENODATA (ends before the numbers do),
 * -ENOMEM; then *ret is zeroed with empty texts. */
int darshan_job_read(struct darshan_stream *s, const struct darshan_header *header,
                     struct arena *arena, struct darshan_job *ret);

/* Seconds from start to end as darshan-parser counts them: where only whole seconds are
 * known, the last one counts too. */
double darshan_job_seconds(const struct darshan_job *job);

/* The mount that path lies on, or NULL. */
const struct darshan_mount *darshan_job_mount(const struct darshan_job *job,
                                              const char *path);

#endif
