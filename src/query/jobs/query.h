/* SPDX-License-Identifier: Apache-2.0 */
/* query - the queries about jobstats: what the commands and the routes both call.
 *
 *     selection ─▶ settle ─▶ from memory, or else from the database ─▶ table
 *
 * Threads  each query_ctx belongs to one thread; the live behind it may be shared.
 */
#ifndef QUERY_JOBS_QUERY_H
#define QUERY_JOBS_QUERY_H

#include "query/hours/hours.h"
#include "query/live/live.h"

struct query_ctx {
    const struct history *history; /* NULL: there is only the memory */
    struct live *live;             /* NULL: there is only the database */
    struct cell_cache *cells;      /* hours of the database in memory; NULL: none */
    const struct round *round;     /* the last one of all servers; NULL: rows show it */
};

/* Each fills an initialised, empty table.
 * Errors: -EINVAL (the selection: err says what), -E2BIG (too much at once), what the
 * database says, -ENOMEM, and what the selection's hold refused. */

/* Who does most: one row a group, the biggest first. */
int query_top(const struct query_ctx *ctx, struct selection *sel, struct table *ret,
              struct err *err);
/* Totals and rates by window and group, or their densities. */
int query_rates(const struct query_ctx *ctx, struct selection *sel, struct table *ret,
                struct err *err);
/* The series that the filter names, without their rows. */
int query_series(const struct query_ctx *ctx, struct selection *sel, struct table *ret,
                 struct err *err);

/* ---- sums, for those who make something else of them than a table ---- */

/* The newest observation; T_NONE: there is none.  Errors: of the database. */
int query_latest(const struct query_ctx *ctx, int64_t *ret_ms, struct err *err);
/* When the last round of all servers ended and how long it was; *ret_end_ms T_NONE: no
 * round is known.  Errors: -ENOMEM, of the database. */
int query_last_round(const struct query_ctx *ctx, int64_t now_ms, int64_t *ret_end_ms,
                     int64_t *ret_length_ms, struct err *err);
/* Add up a settled selection, from memory where it reaches far enough. */
int query_sums(const struct query_ctx *ctx, const struct selection *sel,
               struct accumulator **ret, struct err *err);

/* ---- one job on one page ---- */

enum query_job_part {
    QUERY_JOB_SUMMARY,    /* one row: who, when, how much */
    QUERY_JOB_OPERATIONS, /* one row an operation, with its trend */
    QUERY_JOB_TARGETS,    /* the busiest ones */
    QUERY_JOB_NODES,
    QUERY_JOB_PART_COUNT,
};

const char *query_job_part_name(enum query_job_part part);

/* parts: QUERY_JOB_PART_COUNT initialised, empty tables.  sel filters by job; its
 * window is the job's whole activity unless one is given. Errors: -ENOENT (nothing is
 * known of such a job), and as above. */
int query_job(const struct query_ctx *ctx, struct selection *sel, struct table *parts,
              struct err *err);

/* {"summary":{table}, "operations":{table}, ...}, there and back into initialised,
 * empty tables.  Errors: -EBADMSG, -ENOMEM. */
/* As baro jobstats job prints it: an array of objects a part.  batch: what the batch
 * system has of it, first; NULL: none. */
void query_job_print_objects(const struct table *parts, const struct table *batch,
                             struct strbuf *out);
void query_job_to_json(const struct table *parts, struct strbuf *out);
int query_job_from_json(struct span json, struct table *parts, struct err *err);

#endif
