/* SPDX-License-Identifier: Apache-2.0 */
/* job_dataset - a dataset that a job had mounted on a node.
 *
 *     {"cluster":"alex","job":"4711","uid":1000,"host":"n1","t":1795000000.5,
 *      "digest":"5f0c...","name":"python:3.11","path":"/opt/python",
 *      "options":"ro,nosuid,nodev","command":"srun --dataset","private":true}
 *
 * cluster may be missing: it is that of the token then.  private: not every user may
 * read the dataset.  Paths are in the text form of entry_id.h.
 *
 * Threads  any.
 */
#ifndef MODEL_JOB_DATASET_H
#define MODEL_JOB_DATASET_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

#define JOB_DATASET_DIGEST_SIZE ((size_t)64) /* SHA-256 as digits */
#define JOB_DATASET_PATH_BYTES_MAX ((size_t)2048)
#define JOB_DATASET_LINE_BYTES_MAX ((size_t)8192)

struct job_dataset {
    struct span cluster; /* empty: of the token that sends it */
    struct span job;     /* the batch system's number */
    struct span host;
    int64_t uid;         /* for whom it was mounted */
    int64_t t_ns;        /* when */
    struct span digest;  /* what the name meant then */
    struct span name;    /* as it was requested: a tag, or digits */
    struct span path;    /* where */
    struct span options; /* of the mount */
    struct span command; /* and its option: "srun --dataset" */
    bool is_private;
};

/* Why it cannot be stored, or NULL.  Static text. */
const char *job_dataset_check(const struct job_dataset *dataset);

/* As a line of POST /v1/datasets, with its end. */
void job_dataset_print(const struct job_dataset *dataset, struct strbuf *out);
/* Texts of *ret lie in arena.  Errors: -EBADMSG (err has the reason), -ENOMEM. */
int job_dataset_read(struct span line, struct arena *arena, struct job_dataset *ret,
                     struct err *err);

#endif
