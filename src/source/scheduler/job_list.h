/* SPDX-License-Identifier: Apache-2.0 */
/* job_list - the jobs of one or several clusters, asked by id, by window and by node.
 *
 * Units    nanoseconds, UTC; windows are [from_ns, to_ns).
 * Threads  none inside; asking changes nothing.
 */
#ifndef SOURCE_SCHEDULER_JOB_LIST_H
#define SOURCE_SCHEDULER_JOB_LIST_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hashmap.h"
#include "model/model.h"

#define JOB_LIST_STEPS_MAX ((size_t)1000000)
#define JOB_LIST_JOBS_MAX ((size_t)10000000)

struct job_list {
    struct arena arena; /* every text */
    struct job *jobs;   /* in the order they were added */
    size_t count;
    size_t capacity;
    struct job *steps; /* of those jobs, in the order they were added */
    size_t step_count, step_capacity;
    uint64_t steps_left_out; /* beyond JOB_LIST_STEPS_MAX */
    struct hashmap ids;      /* ids and runs -> position + 1 of the last started */
    uint64_t fault_count;    /* lines that could not be read */
};

/* text is the line; reason is static. */
typedef void job_fault_fn(void *arg, uint64_t line, struct span text,
                          const char *reason);

void job_list_init(struct job_list *list);
void job_list_done(struct job_list *list);
DEFINE_AUTO_DONE(struct job_list, job_list_done);

/* Add a copy of job.  The same run reported again - cluster, id and start are equal -
 * takes the earlier one's place, unless it has no end where that had one.  Errors:
 * -ENOMEM, -E2BIG (JOB_LIST_JOBS_MAX). */
int job_list_add(struct job_list *list, const struct job *job);

/* Add a copy of a step, whose member step is set.  Those beyond JOB_LIST_STEPS_MAX are
 * counted.  Errors: -ENOMEM. */
int job_list_store_step(struct job_list *list, const struct job *step);

/* Memory that a step had is the job's where no other of its steps had more.  A step
 * counts for the run called id that it lies in; one that lies in none, for no run. */
void job_list_add_step(struct job_list *list, struct span id, const struct job *step);

/* The run of the job called id, either way, that started last; NULL: there is none.
 * cluster empty: any. */
const struct job *job_list_find(const struct job_list *list, struct span cluster,
                                struct span id);

struct job_query {
    struct span cluster; /* empty: any */
    struct span node;    /* empty: any */
    struct span user;    /* its name or number; data NULL: any */
    int64_t from_ns;
    int64_t to_ns;
};

/* Is user the name or the number of the job's user?  data NULL: any is. */
bool job_has_user(const struct job *job, struct span user);

/* A job with the number of its user alone has the name that other jobs of its cluster
 * in the list have for this number, where it is one: nothing else is looked up. Errors:
 * -ENOMEM. */
int job_list_name_users(struct job_list *list);

/* Each job that fits, in order: start with *cursor = 0; NULL at the end. */
const struct job *job_list_next(const struct job_list *list,
                                const struct job_query *query, size_t *cursor);

struct job_load {
    size_t jobs;
    uint64_t nodes;      /* the sum over jobs: a shared node counts for each */
    double node_seconds; /* clipped to the window */
    size_t uncounted;    /* of these jobs, how many do not tell their node count */
};

/* What ran in the window.  A job in it counts itself too. */
struct job_load job_list_load(const struct job_list *list,
                              const struct job_query *query);

#endif
