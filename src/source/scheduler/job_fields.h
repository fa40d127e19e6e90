/* SPDX-License-Identifier: Apache-2.0 */
/* job_fields - what is reported of one job, field by field, until it is a job.
 *
 *     reader ──job_fields_set(USER, "ann")──▶ fields ──job_fields_add──▶ job_list
 *
 * Batch systems tell the same under many names, and some of it twice: each name has a
 * rank, and the best of those that are reported holds, in whatever order they come.
 */
#ifndef SOURCE_SCHEDULER_JOB_FIELDS_H
#define SOURCE_SCHEDULER_JOB_FIELDS_H

#include "base/strbuf.h"
#include "source/scheduler/job_list.h"
#include "source/scheduler/job_time.h"

#define JOB_FIELD_BYTES_MAX ((size_t)1 << 20)
#define JOB_NAMES_MAX 32

enum job_field {
    JOB_FIELD_CLUSTER,
    JOB_FIELD_ID,
    JOB_FIELD_RAW_ID,
    JOB_FIELD_NAME,
    JOB_FIELD_USER, /* "ann@login" is ann where a name says that hosts follow */
    JOB_FIELD_UID,
    JOB_FIELD_GROUP,
    JOB_FIELD_GID,
    JOB_FIELD_ACCOUNT,
    JOB_FIELD_PARTITION,
    JOB_FIELD_STATE,
    JOB_FIELD_SUBMIT,
    JOB_FIELD_START,
    JOB_FIELD_END,
    JOB_FIELD_NODE_COUNT,
    JOB_FIELD_NODES,
    JOB_FIELD_RESOURCE, /* the first of enum job_resource, in its order */
    JOB_FIELD_RESOURCE_LAST = JOB_FIELD_RESOURCE + JOB_RESOURCE_COUNT - 1,
    /* Those that people do not map: they help to find the above. */
    JOB_FIELD_OWNER,     /* user@host */
    JOB_FIELD_ARRAY_ID,  /* 5 of 5_1 */
    JOB_FIELD_TASK_ID,   /* 1 of 5_1 */
    JOB_FIELD_EXEC_HOST, /* n1/0*2+n2/0 */
    JOB_FIELD_WALLTIME,  /* h:mm:ss, where no end is reported */
    JOB_FIELD_ALLOCATED, /* TRES: cpu=4,mem=8G,gres/gpu=2 */
    JOB_FIELD_REQUESTED,
    JOB_FIELD_CPU_MICROSECONDS, /* beside whole seconds */
    JOB_FIELD_COUNT,
};

/* Names of a site's own: column or key, dots between keys within keys. */
struct job_names {
    struct {
        enum job_field field;
        struct span name;
    } items[JOB_NAMES_MAX];
    size_t count;
};

/* "start=begin_time" as a further name; its text must outlive names.  Errors: -EINVAL
 * (no such field, or no name), -E2BIG. */
int job_names_add(struct job_names *names, struct span assignment);

/* The field that name stands for, and its rank: 0 is the best.  A field with names of
 * the site's own has no others.  names may be NULL.  false: none. */
bool job_field_of(const struct job_names *names, struct span name,
                  enum job_field *ret_field, unsigned *ret_rank);

struct job_fields {
    struct strbuf text[JOB_FIELD_COUNT];
    unsigned rank[JOB_FIELD_COUNT]; /* of what text holds */
    uint64_t present;               /* bit a field */
    struct job_resources resources; /* of lists within the job, beside its fields */
};

void job_fields_init(struct job_fields *fields);
void job_fields_done(struct job_fields *fields);
void job_fields_clear(struct job_fields *fields); /* for the next job */

/* Keep value unless something better is known.  An empty value is not reported.
 * Errors: -ENOMEM, -EMSGSIZE (over JOB_FIELD_BYTES_MAX). */
int job_fields_set(struct job_fields *fields, enum job_field field, unsigned rank,
                   struct span value);
/* One more of a list: nodes. */
int job_fields_append(struct job_fields *fields, enum job_field field, unsigned rank,
                      struct span value);
/* Add the job to list.  Errors: -EINVAL (*ret_reason, static, says why it is no job),
 * as job_list_add. */
int job_fields_add(struct job_fields *fields, const struct sched_clock *clock,
                   struct job_list *list, const char **ret_reason);

#endif
