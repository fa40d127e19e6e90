/* SPDX-License-Identifier: Apache-2.0 */
/* datasets - indexes of datasets by name: of what chunks each consists.
 *
 *     "python:3.11" ─▶ digest ─▶ memory, DIR/indexes, repository or upstreams ─▶ index
 *
 * A tag is resolved each time, because it may move; an index never changes.  What is
 * not used remains while it is small. Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_DATASETS_H
#define DATASET_FORWARDER_DATASETS_H

#include "dataset/forwarder/cache_disk.h"
#include "dataset/forwarder/upstreams.h"
#include "dataset/forwarder/work.h"

/* Of the encoded index: a million chunks and more. */
#define DATASET_INDEX_BYTES_MAX (UINT32_C(64) << 20)

struct dataset {
    uint32_t refs;
    struct digest name;
    char text[DIGEST_TEXT_SIZE];
    struct dataset_index index;
    struct payload *encoded;
    uint32_t *by_digest;   /* numbers of its chunks, sorted; NULL: not needed yet */
    struct dataset *newer; /* in the list of all */
};

struct datasets;
struct dataset_search;

struct dataset_waiter {
    /* rc 0: dataset has a reference for the receiver.  Or -ENOENT, -ETIMEDOUT, -EFBIG
     * (its index is too large), -EUCLEAN, -EINVAL (a name that fits several), -EBUSY
     * (too much is to be done), -ENOMEM. */
    void (*done)(struct dataset_waiter *waiter, int rc, struct dataset *dataset);
    int64_t since_ns;
    struct dataset_search *search; /* NULL: it does not wait */
    struct dataset_waiter *next;
};

/* Who waits for the names of all datasets: lines "DIGEST tab TAG blank TAG".  They are
 * listed once for all who wait. */
struct dataset_names {
    /* payload: the receiver's; rc < 0: there are none to be had now. */
    void (*done)(struct dataset_names *names, int rc, struct payload *payload);
    int64_t since_ns;
    struct names_search *search; /* NULL: it does not wait */
    struct dataset_names *next;
};

struct datasets_opts {
    struct cache_disk *disk;     /* NULL: none */
    struct upstreams *upstreams; /* NULL: a repository is served */
    struct work_pool *pool;
    int64_t patience_ns;
    uint64_t disk_bytes_max;
    uint64_t used_bytes_max; /* of encoded indexes in use; 0: 512 MiB */
    const struct forwarder_report *report;
};

int datasets_new(const struct datasets_opts *opts, struct datasets **ret);
/* After the loop has ended. */
void datasets_free(struct datasets *datasets);
DEFINE_AUTO(struct datasets, datasets_free);

/* spec: 64 digits, or what the repository resolves.  done() may be called before this
 * returns. */
void datasets_find(struct datasets *datasets, struct span spec,
                   struct dataset_waiter *waiter);
void datasets_leave(struct dataset_waiter *waiter);
void dataset_unref(struct datasets *datasets, struct dataset *dataset);
/* 1: it has that chunk; 0: it has not.  Errors: -ENOMEM. */
int dataset_has_chunk(struct dataset *dataset, const struct digest *digest);
void datasets_check(struct datasets *datasets, int64_t now_ns);
bool datasets_are_idle(const struct datasets *datasets);
size_t datasets_count(const struct datasets *datasets);

/* done() may be called before this returns. */
void datasets_names(struct datasets *datasets, struct dataset_names *names);
/* True: done() is not called. */
bool datasets_names_leave(struct dataset_names *names);

#endif
