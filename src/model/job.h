/* SPDX-License-Identifier: Apache-2.0 */
/* job - one run of one job, as its batch system accounts for it.
 *
 * A job that was requeued has run several times: each is a struct of its own with the
 * same id.  A run is known by (cluster, id, start).
 */
#ifndef MODEL_JOB_H
#define MODEL_JOB_H

#include "base/err.h"
#include "base/span_type.h"
#include "model/hostset.h"
#include "model/job_resources.h"

#include <stdint.h>

#define JOB_TIME_NONE INT64_MIN /* not stated: not begun, or not ended yet */

/* What job_check() lets pass: words are parts of keys, and databases bound those. */
#define JOB_WORD_BYTES_MAX ((size_t)255)
#define JOB_TEXT_BYTES_MAX ((size_t)1 << 20)
#define JOB_NODES_MAX ((uint64_t)1 << 32)

struct job {
    struct span cluster; /* empty where it is not stated, as any text here */
    struct span id;      /* as people write it: "5_1", "4478544", "12.pbs01" */
    struct span raw_id;  /* as the system counts: "7" for "5_1"; else the same as id */
    struct span step;    /* of a step of the job: "0", "batch"; else empty */
    struct span name;    /* any bytes */
    struct span user;
    struct span uid; /* its number in digits: "1001", as counters name users */
    struct span group;
    struct span gid;
    struct span account;
    struct span partition; /* or queue */
    struct span state;     /* as it was reported: "COMPLETED", "CANCELLED by 0" */
    struct span nodes;     /* a host set: "nid[00010-00012]" */
    uint64_t node_count;   /* 0: not stated */
    int64_t submit_ns;
    int64_t start_ns;
    int64_t end_ns; /* JOB_TIME_NONE with a start: it is running */
    struct job_resources resources;
};

/* Why the run cannot be stored, or NULL: it has no id, a word is too long or no
 * UTF-8 or holds NUL, uid or gid is not a number of 32 bits, a time is before 1970, it
 * ends before it starts.  Static text. */
const char *job_check(const struct job *job);

/* Leave out a uid or gid that is no such number: the job is right without it. */
void job_drop_bad_numbers(struct job *job);

/* Of an array's element "5_12" the array "5"; of others all of it. */
struct span job_array_id(struct span id);
/* Whether the job ran within [from_ns, to_ns): it touched the window.  A job without
 * end runs on; one without start ran never. */
bool job_overlaps(const struct job *job, int64_t from_ns, int64_t to_ns);

/* Node-seconds of the job within [from_ns, to_ns). */
double job_node_seconds(const struct job *job, int64_t from_ns, int64_t to_ns);

/* The nodes one by one, in given order.  Errors: as hostset_parse; -ENOENT (not
 * stated).
 */
int job_nodes(const struct job *job, struct hostset **ret, struct err *err);
/* Did it run on any of these hosts?  Not where its nodes are not known. */
bool job_ran_on(const struct job *job, const struct hostset *hosts);

#endif
