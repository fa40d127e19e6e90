/* SPDX-License-Identifier: Apache-2.0 */
/* run - one run of a copy: its two databases, and what it has done. */
#ifndef RECORDS_COPY_RUN_H
#define RECORDS_COPY_RUN_H

#include "records/copy/copy.h"
#include "records/copy/state.h"

struct copy_run {
    const struct copy_request *request;
    struct copy_side sides[2]; /* source, destination */
    struct records_backend *backends[2];
    struct engine_reader *readers[2]; /* of the destination: with is_verify_only */
    bool in_snapshot[2];
    struct copy_state state;
    struct copy_tables tables;
    struct copy_progress progress;
    struct copy_result result;
};

enum { COPY_FROM, COPY_TO };

void copy_run_done(struct copy_run *run);
DEFINE_AUTO_DONE(struct copy_run, copy_run_done);

/* Open both, see that they go together, and load their days.  Errors: as
 * database_copy(). */
int copy_run_open(struct copy_run *run, struct err *err);
/* So many more rows were read. */
void copy_run_advance(struct copy_run *run, uint64_t rows);

#endif
