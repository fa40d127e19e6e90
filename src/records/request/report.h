/* SPDX-License-Identifier: Apache-2.0 */
/* report - what an operation on a database reports: steps, faults, background work. */
#ifndef RECORDS_REQUEST_REPORT_H
#define RECORDS_REQUEST_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/* ---- of a migration ---- */

/* One step: what is done, which locks others wait for, and about how long it takes. */
struct records_step {
    const char *what, *locks;
    int64_t seconds; /* an estimate; 0: less than one */
};
typedef void records_step_fn(void *arg, const struct records_step *step);

/* ---- of a verification ---- */

/* Texts are valid during the call. */
typedef void records_fault_fn(void *arg, const char *what, const char *remedy);
typedef void records_progress_fn(void *arg, size_t done, size_t count);

struct records_verified {
    uint64_t faults, checks;
    uint64_t series; /* whose ids were made again */
};

/* ---- of what the database does in the background ---- */

struct records_background {
    uint64_t failed;         /* jobs whose last run failed: barod does their work */
    uint64_t failures;       /* runs that failed, ever */
    uint64_t compressed;     /* chunks that barod has compressed since it started */
    uint64_t chunk_failures; /* attempts that failed: the chunk is passed over */
    bool is_compressing;
    /* Of the writer's thread. */
    const char *why;       /* of the jobs */
    const char *chunk_why; /* of the attempt that failed last; empty: none has */
};
#endif
