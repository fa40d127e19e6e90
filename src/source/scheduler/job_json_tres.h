/* SPDX-License-Identifier: Apache-2.0 */
/* job_json_tres - the lists of trackable resources within a job of sacct --json.
 *
 *     "tres": {"allocated": [{"type": "gres", "name": "gpu", "count": 2}, ...],
 *              "requested": [...]}                               mem in MiB
 *     "steps": [{"tres": {"requested": {"total": [...],          mem in bytes, used:
 *                                       "max": [...]}}}, ...]    Slurm's names are so
 *
 * Of the steps' lists their memory is read: the step with most counts.
 * Memory: one list's text, bounded.
 */
#ifndef SOURCE_SCHEDULER_JOB_JSON_TRES_H
#define SOURCE_SCHEDULER_JOB_JSON_TRES_H

#include "base/json_reader.h"
#include "source/scheduler/job_fields.h"

#define JOB_JSON_TRES_DEPTHS 6
#define JOB_JSON_TRES_WORD_BYTES 64

enum job_json_list { JOB_JSON_ALLOCATED, JOB_JSON_REQUESTED, JOB_JSON_STEPS };

struct job_json_tres {
    enum job_json_list list;
    unsigned depth; /* + 1, of the list; 0: none is being read */
    char keys[JOB_JSON_TRES_DEPTHS][JOB_JSON_TRES_WORD_BYTES]; /* by depth below it */
    char type[JOB_JSON_TRES_WORD_BYTES], name[JOB_JSON_TRES_WORD_BYTES];
    double count;       /* NaN: none */
    struct strbuf text; /* "cpu=4,mem=2000M" */
};

void job_json_tres_done(struct job_json_tres *tres);
/* Whether a list of these begins at path; its events follow until tres->depth is 0. */
bool job_json_tres_begin(struct job_json_tres *tres, struct span path, unsigned depth);
/* Errors: -ENOMEM. */
int job_json_tres_event(struct job_json_tres *tres, struct job_fields *fields,
                        enum json_event event, struct span text, unsigned depth);

#endif
