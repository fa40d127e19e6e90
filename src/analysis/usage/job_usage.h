/* SPDX-License-Identifier: Apache-2.0 */
/* job_usage - what jobs used of what they were given: a row a job, elements of an array
 * as one row, the worst first.
 *
 *     runs of jobs ──job_usage_add──▶ list ──job_usage_sort──▶ rows
 *
 * Shares are of what was allocated while it ran.  Of a run that goes on its batch
 * system accounts nothing: it counts in runs, and in no share.
 *
 * Memory   a row a job or array; texts are copied.  Threads  none inside.
 */
#ifndef ANALYSIS_USAGE_JOB_USAGE_H
#define ANALYSIS_USAGE_JOB_USAGE_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hashmap.h"
#include "model/model.h"

#define JOB_USAGE_ROWS_MAX ((size_t)1000000)

struct job_usage {
    const char *cluster; /* texts are empty where they are not known */
    const char *id; /* of an array with several elements without their number: "5" */
    const char *user, *account, *partition, *name;
    const char *state; /* of all runs; empty where they differ */
    uint64_t runs, running, failed;
    uint64_t nodes; /* of the run with most */
    uint64_t cpus;  /* of the run with most; 0: not known */
    uint64_t gpus;
    bool has_gpus;            /* known, also where there are none */
    int64_t start_ns, end_ns; /* first and last; JOB_TIME_NONE: not begun, still runs */
    double hours;             /* sum of the runs, to now of those that go on */
    double cpu_hours;         /* allocated, of runs whose CPU time is known */
    double cpu_hours_used;
    double gpu_hours;        /* allocated */
    double gib_hours_unused; /* of memory allocated; NaN: not known */
    double memory_share;     /* of the run that came closest; NaN: not known */
    double time_share;       /* of its limit, likewise */
    double energy_kwh;       /* NaN: not known */
};

struct job_usage_list {
    struct arena arena;
    struct job_usage *rows;
    size_t count, capacity;
    struct hashmap indices; /* cluster NUL id -> index + 1 */
    bool are_tasks_apart;   /* elements of an array are rows of their own */
};

enum job_usage_order {
    JOB_USAGE_BY_CPU,    /* CPU hours that were allocated and not used */
    JOB_USAGE_BY_MEMORY, /* GiB hours likewise */
    JOB_USAGE_BY_TIME,   /* least share of the time limit */
    JOB_USAGE_BY_ENERGY,
    JOB_USAGE_BY_HOURS, /* CPU hours allocated */
    JOB_USAGE_BY_START, /* the newest */
    JOB_USAGE_ORDER_COUNT,
};

/* "cpu", "memory", "time", "energy", "hours", "start" */
extern const char *const job_usage_orders[JOB_USAGE_ORDER_COUNT];
#define JOB_USAGE_ORDERS "cpu, memory, time, energy, hours, start"
/* Errors: -EINVAL. */
int job_usage_order_parse(struct span name, enum job_usage_order *ret);

void job_usage_init(struct job_usage_list *list);
void job_usage_done(struct job_usage_list *list);
DEFINE_AUTO_DONE(struct job_usage_list, job_usage_done);
size_t job_usage_bytes(const struct job_usage_list *list);

/* Errors: -ENOMEM, -E2BIG (JOB_USAGE_ROWS_MAX). */
int job_usage_add(struct job_usage_list *list, const struct job *job, int64_t now_ns);

/* The worst first; rows of which that is not known come last, by start. */
void job_usage_sort(struct job_usage_list *list, enum job_usage_order order);

/* 0 to 1 and a little more; NaN: not known. */
double job_usage_cpu_share(const struct job_usage *usage);

/* Did the state end a run against its user's will: FAILED, TIMEOUT, OUT_OF_MEMORY,
 * NODE_FAIL, BOOT_FAIL, DEADLINE. */
bool job_state_is_failure(struct span state);

#endif
