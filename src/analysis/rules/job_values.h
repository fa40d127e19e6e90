/* SPDX-License-Identifier: Apache-2.0 */
/* job_values - what is known of a job as named, typed values: what the rules of a site
 * may name.
 *
 *     user, run_time, server_read ...     the batch system, servers, its program
 *     log.small_share ...                 measures of its Darshan log
 *     darshan_walltime ...                columns of its summary
 *     found.small ...                     whether Barograph's own finding is made
 *     node.METRIC.median ...              a metric of its nodes, in its own unit
 *
 * A value that was not observed is missing: null is not 0.
 *
 * Threads  rule_names: one; values are filled by any number at once, once all names are
 * known.
 */
#ifndef ANALYSIS_RULES_JOB_VALUES_H
#define ANALYSIS_RULES_JOB_VALUES_H

#include "analysis/job/job.h"
#include "analysis/table/table.h"
#include "base/json_writer.h"

#define JOB_NODE_NAMES_MAX 256

/* A job as its rules see it. */
struct job_evidence_of {
    const struct job_assessment *assessment;
    const struct job_context *facts; /* of its log, where the assessment has no context;
                                      * NULL: none */
    const char *application;         /* recognised; NULL: it was not */
};

struct job_value_name {
    const char *prefix; /* "log." */
    const char *name;
    struct condition_type type;
    const char *help;
};

/* The names of nodes' metrics that rules use: those of others are in a table. */
struct rule_names {
    struct arena arena;
    struct job_node_name *nodes;
    size_t node_count;
};

void rule_names_init(struct rule_names *names);
void rule_names_done(struct rule_names *names);

/* Of condition_parse(): names that node.METRIC.FIGURE may have are added. */
struct condition_names rule_names_condition(struct rule_names *names);

/* How many values a job has now. */
size_t job_values_count(const struct rule_names *names);
/* All of a job's; texts are the evidence's, or in arena. */
void job_values_fill(const struct rule_names *names, const struct job_evidence_of *of,
                     struct arena *arena, struct value *ret);

/* All that is known, each value under its name, times in seconds: {"user":"ada",
 * "run_time":120, "found.small":1, "node.cpu_load.median":63.5}.  Errors: -ENOMEM. */
int job_values_write(const struct job_evidence_of *of, struct json_writer *w);
/* What such a document has, in arena; what it lacks is missing.  Errors: -EBADMSG,
 * -ENOMEM. */
int job_values_read(const struct rule_names *names, struct span document,
                    struct arena *arena, struct value *ret, struct err *err);

/* The value of Barograph's own finding: index below job_found_count(). */
size_t job_found_count(void);
const char *job_found_name(size_t index);
bool job_found_is_made(const struct value *values, size_t index);

/* The names in order, but those of nodes; false: there is none at index. */
bool job_value_name_at(size_t index, struct job_value_name *ret);
/* As conditions have it: "found.full_target". */
void job_value_name_print(const struct job_value_name *name, struct strbuf *out);

/* ---- evidence that applications are recognised by, too; NULL: not known ---- */

/* The path of the program. */
const char *job_executable(const struct job_evidence_of *of);
/* With its arguments. */
const char *job_command(const struct job_evidence_of *of);
const char *job_name_of(const struct job_evidence_of *of);
/* Whether the log has records of this module. */
bool job_has_layer(const struct job_evidence_of *of, enum log_layer layer);

#endif
