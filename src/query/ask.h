/* SPDX-License-Identifier: Apache-2.0 */
/* ask - the questions: what the commands and the routes both call.
 *
 *     selection ─▶ settle ─▶ from memory, or else from the database ─▶ table
 *
 * Threads  each asker belongs to one thread; the live behind it may be shared.
 */
#ifndef QUERY_ASK_H
#define QUERY_ASK_H

#include "query/history.h"
#include "query/live.h"

struct asker {
    const struct history *history; /* NULL: there is only the memory */
    struct live *live;             /* NULL: there is only the database */
};

/* Each fills an initialised, empty table.
 * Errors: -EINVAL (the selection: err says what), -E2BIG (too much at once), what the
 * database says, -ENOMEM, and what the selection's hold refused. */

/* Who does most: one row a group, the biggest first. */
int ask_top(const struct asker *asker, struct selection *sel, struct table *ret,
            struct err *err);
/* Totals and rates by window and group, or their densities. */
int ask_rates(const struct asker *asker, struct selection *sel, struct table *ret,
              struct err *err);
/* The series that the filter names, without their rows. */
int ask_series(const struct asker *asker, struct selection *sel, struct table *ret,
               struct err *err);

/* ---- one job on one page ---- */

enum ask_job_part {
    ASK_JOB_SUMMARY,    /* one row: who, when, how much */
    ASK_JOB_OPERATIONS, /* one row an operation, with its trend */
    ASK_JOB_TARGETS,    /* the busiest ones */
    ASK_JOB_NODES,
    ASK_JOB_PART_COUNT,
};

const char *ask_job_part_name(enum ask_job_part part);

/* parts: ASK_JOB_PART_COUNT initialised, empty tables.  sel filters by job; its window
 * is the job's whole activity unless one is given.
 * Errors: -ENOENT (nothing is known of such a job), and as above. */
int ask_job(const struct asker *asker, struct selection *sel, struct table *parts,
            struct err *err);

/* {"summary":{table}, "operations":{table}, ...}, there and back into initialised,
 * empty tables.  Errors: -EBADMSG, -ENOMEM. */
void ask_job_to_json(const struct table *parts, struct strbuf *out);
int ask_job_from_json(struct span json, struct table *parts, struct err *err);

#endif
