/* SPDX-License-Identifier: Apache-2.0 */
/* job_json - jobs out of JSON, whichever batch system wrote it.
 *
 *     {"jobs": [{...}, ...]}            sacct --json, squeue --json, flux jobs --json
 *     {"Jobs": {"12.pbs": {...}, ...}}  qstat -f -F json
 *     [{...}, ...]   {...}              ours; flux job list
 *
 * What a key means is in job_fields; keys that nobody knows, at any depth, are passed
 * over, so that the next release's further ones cost nothing.  Slurm writes
 * {"set": true, "infinite": false, "number": 7} for 7, of late, and ["RUNNING"] for
 * "RUNNING".  Memory: one job's, whatever the size of the text.
 */
#ifndef SOURCE_SCHEDULER_JOB_JSON_H
#define SOURCE_SCHEDULER_JOB_JSON_H

#include "base/json_reader.h"
#include "source/scheduler/job_form.h"
#include "source/scheduler/job_json_tres.h"

#define JOB_JSON_LEVELS 3 /* time.start, exit_code.signal.id */

struct job_json {
    const struct job_text_opts *opts;
    struct job_list *list;
    struct json_reader reader;
    struct job_fields fields;
    uint64_t line_before; /* of the text's lines, those before this reader's */
    const char *reason;   /* why the job that is being read is none; NULL */
    struct span key;      /* of an event, while it lasts */
    struct strbuf path[JOB_JSON_LEVELS + 1]; /* "time", "time.start" */
    unsigned record_depth;                   /* of a job's object */
    unsigned skip_depth; /* + 1, of what is passed over; 0: nothing */
    unsigned list_depth; /* + 1, of a list that is a field: nodes; 0: none */
    unsigned wrap_depth; /* + 1, of an object that may stand for a number; 0: none */
    bool is_record, is_keyed, has_jobs;
    bool is_line;   /* a text that is one value of many */
    bool is_no_job; /* the whole text is an object, and neither a job nor a list */
    bool wrap_is_unset, wrap_has_number;
    struct strbuf wrap_number;
    struct job_json_tres tres;
};

void job_json_init(struct job_json *json, const struct job_text_opts *opts,
                   struct job_list *list);
void job_json_done(struct job_json *json);

/* Errors: as json_reader_feed, job_list_add; -EINVAL (it is an object, and neither a
 * job nor a list of them). */
int job_json_feed(struct job_json *json, const void *data, size_t size,
                  struct err *err);
int job_json_finish(struct job_json *json, struct err *err);
/* One value that is a line of its own, which a fault costs.  Errors: as job_list_add.
 */
int job_json_line(struct job_json *json, struct span line, uint64_t number);

#endif
