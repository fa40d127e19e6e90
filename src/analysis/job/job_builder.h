/* SPDX-License-Identifier: Apache-2.0 */
/* job_builder - a job's context out of its log and of what is known around it.
 *
 *     log, or what is stored ─▶ window ─┬▶ series, fabric ─┐
 *                                       ├▶ health ─────────┤
 *                                       ├▶ jobs, topology ─┼──▶ context
 *                                       ├▶ nodes ──────────┤
 *                                       └▶ servers ────────┘
 */
#ifndef ANALYSIS_JOB_JOB_BUILDER_H
#define ANALYSIS_JOB_JOB_BUILDER_H

#include "analysis/job/job_context.h"
#include "analysis/job/job_inputs.h"

#define JOB_HEALTH_AGE_MAX_NS (3600 * NS_PER_S) /* where inputs name none */

/* Everything that is known of the job whose Darshan log has this name: a path, to those
 * who read files.  context is initialised; after a failure it is to be done with, too.
 * *faults, which may be NULL, gets a line for each thing that is wrong with the log but
 * does not stop the reading. Errors: as job_log_read(); what a reader of inputs
 * returns; -ENOENT (inputs have no logs); err names the log. */
int job_build(const struct job_inputs *inputs, const char *name,
              struct job_context *context, struct strbuf *faults, struct err *err);

/* Everything that is known of the job of an id without its log: what is stored of it
 * stays, and what readers see is added.  context is initialised; after a failure it is
 * to be done with, too.  Errors: -ENOENT (nothing is stored of it), what a reader
 * returns.
 */
int job_build_stored(const struct job_inputs *inputs, const char *id,
                     struct job_context *context, struct err *err);

/* The log of a job that was found by its id. */
struct job_found {
    struct job_log *log; /* NULL: there is none */
    struct profile run;  /* of it */
};
void job_found_done(struct job_found *found);
DEFINE_AUTO_DONE(struct job_found, job_found_done);

/* The same with the job's log, where inputs find it: facts are its, in place of those
 * of a summary.  found is all zero before, and to be done with after a failure, too. */
int job_build_found(const struct job_inputs *inputs, const char *id,
                    struct job_context *context, struct job_found *found,
                    struct err *err);

/* Its log alone, and what is stored of it.  Likewise; -ENOENT, too, where its log is
 * not found or cannot be read: err names the job and states why. */
int job_find_log(const struct job_inputs *inputs, const char *id,
                 struct job_context *context, struct job_found *found, struct err *err);

/* Everything but log and servers: context has the log's facts. */
int job_build_around(const struct job_inputs *inputs, struct job_context *context,
                     struct err *err);

/* What the servers counted of it alone: context has the log's facts, or what is stored.
 * run: of its log; NULL: not read.  Errors: what the reader returns but -ENOENT. */
int job_build_servers(const struct job_inputs *inputs, const struct profile *run,
                      struct job_context *context, struct err *err);

/* Metrics of the job's nodes, over the time that the batch system recorded, else over
 * that of its log: context has one of them.  Its record is read first where context has
 * none.  Errors: what a reader returns but -ENOENT. */
int job_build_nodes(const struct job_inputs *inputs, struct job_context *context,
                    struct err *err);

/* Whose metrics are requested over which time; *ret points into context.
 * Errors: -ENOENT (when or where it ran is not known). */
int job_request_of_nodes(const struct job_inputs *inputs,
                         const struct job_context *context, struct job_request *ret,
                         struct err *err);

#endif
