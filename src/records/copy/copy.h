/* SPDX-License-Identifier: Apache-2.0 */
/* copy - all rows of one database into another, of any engine; the room's door.
 *
 *     source (one snapshot) ─▶ part by part, a transaction each ─▶ destination
 *                                         then: read back and compared
 *
 * Threads  that of the caller.
 */
#ifndef RECORDS_COPY_COPY_H
#define RECORDS_COPY_COPY_H

#include "records/engine/engine.h"

struct copy_progress {
    const char *doing;    /* "copying", "verifying" */
    uint64_t done, total; /* rows; total is what the source has of them */
};
typedef void copy_progress_fn(void *arg, const struct copy_progress *progress);

/* A part whose rows are not the same in both. */
struct copy_difference {
    const char *part;
    uint64_t source_count, destination_count;
};
typedef void copy_difference_fn(void *arg, const struct copy_difference *difference);

struct copy_request {
    const struct records_engine *from_engine, *to_engine;
    const struct records_opts *from, *to; /* access is set by the copy */
    bool is_verify_only;
    copy_progress_fn *progress;     /* NULL: none */
    copy_difference_fn *difference; /* with is_verify_only */
    void *arg;
};

struct copy_result {
    uint64_t rows;           /* of the source, as far as they were read */
    uint64_t parts;          /* there are */
    uint64_t copied;         /* parts that were copied by this run */
    uint64_t unchanged;      /* parts that an earlier run has copied */
    uint64_t verified;       /* parts that were read back, and are the same */
    uint64_t different;      /* with is_verify_only: parts that are not */
    bool is_without_private; /* the source's role may not read what is of users alone */
};

/* The destination becomes what the source is at the beginning of the run.
 * Errors: -EEXIST (the destination holds other data), -EBADMSG (a schema of another
 * version), -EILSEQ and -ERANGE (a value that the destination cannot hold), -EUCLEAN
 * (what was read back is not what was copied), and as in engine.h; each with a remedy
 * in err. */
int database_copy(const struct copy_request *request, struct copy_result *ret,
                  struct err *err);

#endif
