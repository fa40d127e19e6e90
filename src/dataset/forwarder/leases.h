/* SPDX-License-Identifier: Apache-2.0 */
/* leases - references of mounts: written in the repository, however many levels above;
 * and whether a user may read a dataset, which the repository knows, too.
 *
 * A lease is of a dataset and a holder, as "node17:/run/baro-dataset": the same again
 * is a renewal, one of no time its end.  It ends by itself where it is not renewed.
 * A job's, of "job:ID:USER:node17:/run/baro-dataset", lasts until it is given back.
 *
 * The repository has one writer at a time: leases wait for it in a queue, and have one
 * worker at most.  While gc or a create writes, the first is tried again and again;
 * chunks and permits have the other workers. Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_LEASES_H
#define DATASET_FORWARDER_LEASES_H

#include "base/span_type.h"
#include "dataset/forwarder/report.h"
#include "dataset/forwarder/upstreams.h"
#include "dataset/forwarder/work.h"

#define LEASE_SECONDS_MAX (UINT64_C(7) * 86400)
#define LEASE_NO_END UINT64_MAX /* of a job: until it is given back */
#define LEASE_OF_JOB REPOSITORY_HOLDER_OF_JOB

struct lease;

struct leases {
    struct work_pool *pool;
    struct upstreams *upstreams; /* NULL: the repository's own */
    int64_t patience_ns;
    const struct forwarder_report *report;
    struct lease *first; /* that are waited for */
    /* To be written in the repository, in this order, one at a time. */
    struct lease *queue_first, *queue_last;
    struct lease *written; /* in the pool */
};

struct lease_terms {
    struct digest name;
    struct span holder; /* at most DATASET_TAG_MAX bytes */
    uint64_t lasts_s;   /* 0: it ends; LEASE_NO_END */
};

/* rc: 0, -ENOENT (no such dataset), -EFBIG (refused: the repository cannot be written,
 * or has too many), -ETIMEDOUT (longer than the patience), -ENOMEM. */
typedef void (*lease_fn)(void *arg, int rc);

/* Whether reader may have a dataset.  rc: 0, -EACCES, -ENOENT, -ENOMEM; -EFBIG. */
void permit_begin(struct leases *leases, const struct digest *name,
                  const struct reader *reader, lease_fn done, void *arg,
                  struct lease **at);

/* What a view of a dataset has, out of the repository each time, because it may change.
 * Empty: the dataset has no such view. */
struct view_text {
    size_t size;
    char data[VIEW_TEXT_MAX];
};
/* *out is written before done(), never after lease_leave().  rc as of a permit; -EFBIG:
 * what came is no view. */
void view_begin(struct leases *leases, const struct digest *name, struct span view,
                struct view_text *out, lease_fn done, void *arg, struct lease **at);

/* *at is the lease until done() is called, which may be before this returns. */
void lease_begin(struct leases *leases, const struct lease_terms *terms, lease_fn done,
                 void *arg, struct lease **at);
/* done() is not called; *at may be NULL. */
void lease_leave(struct lease **at);
/* Those who waited longer than the patience do so no longer. */
void leases_check(struct leases *leases, int64_t now_ns);

#endif
