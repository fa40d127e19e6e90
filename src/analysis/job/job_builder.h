/* SPDX-License-Identifier: Apache-2.0 */
/* job_builder - a job's context out of its log and of what is known around it.
 *
 *     log ──▶ facts ──▶ window ─┬▶ series, fabric ─┐
 *                               ├▶ health ─────────┼──▶ context
 *                               └▶ jobs, topology ─┘
 */
#ifndef ANALYSIS_JOB_JOB_BUILDER_H
#define ANALYSIS_JOB_JOB_BUILDER_H

#include "analysis/job/job_context.h"
#include "analysis/job/job_inputs.h"

#define JOB_HEALTH_AGE_MAX_NS (3600 * NS_PER_S) /* where inputs name none */

/* Everything that is known of the job whose Darshan log is at path.  context is
 * initialised; after a failure it is to be done with, too.  *faults, which may be NULL,
 * gets a line for each thing that is wrong with the log but does not stop the reading.
 * Errors: as job_log_open() and job_log_read(); what a reader of inputs says; err names
 * the log. */
int job_build(const struct job_inputs *inputs, const char *path,
              struct job_context *context, struct strbuf *faults, struct err *err);

/* Everything but the log: context has its facts. */
int job_build_around(const struct job_inputs *inputs, struct job_context *context,
                     struct err *err);

#endif
