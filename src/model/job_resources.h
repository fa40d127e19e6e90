/* SPDX-License-Identifier: Apache-2.0 */
/* job_resources - what a job was given and what it used, as its batch system accounts.
 *
 * Each is known or not: 0 GPUs is another thing than GPUs that no record names.  A
 * struct of zeros knows nothing.
 *
 * Threads  none inside.
 */
#ifndef MODEL_JOB_RESOURCES_H
#define MODEL_JOB_RESOURCES_H

#include <stdbool.h>
#include <stdint.h>

#define JOB_RESOURCE_MAX INT64_C(0x3fffffffffffffff)

enum job_resource {
    JOB_TIME_LIMIT_S, /* not known where there is none: "UNLIMITED" */
    JOB_CPUS,         /* allocated, of all nodes; while it waits those requested */
    JOB_MEMORY_BYTES,
    JOB_GPUS,
    JOB_CPU_TIME_MS,            /* user and system, of all processes */
    JOB_MEMORY_PEAK_BYTES,      /* of the step that had most: all its processes */
    JOB_TASK_MEMORY_PEAK_BYTES, /* of the process that had most */
    JOB_ENERGY_J,
    JOB_EXIT_STATUS,
    JOB_EXIT_SIGNAL,
    JOB_RESOURCE_COUNT,
};

struct job_resources {
    uint32_t known; /* bit n: value[n] */
    int64_t value[JOB_RESOURCE_COUNT];
};

/* As keys of lines and columns of tables: "time_limit_s", "cpus", ... */
extern const char *const job_resource_names[JOB_RESOURCE_COUNT];

bool job_resource_known(const struct job_resources *r, enum job_resource what);
/* A value below 0 or over JOB_RESOURCE_MAX is impossible and leaves it unknown: false.
 */
bool job_resource_set(struct job_resources *r, enum job_resource what, int64_t value);
/* Set it unless it is known. */
void job_resource_add(struct job_resources *r, enum job_resource what, int64_t value);
/* Set it where value is higher than what is known. */
void job_resource_raise(struct job_resources *r, enum job_resource what, int64_t value);
/* What r does not know and more does. */
void job_resources_unite(struct job_resources *r, const struct job_resources *more);

/* Share of the CPU time that its allocation had in elapsed_s, 0 to 1 and a little
 * more; NaN: not known. */
double job_cpu_share(const struct job_resources *r, double elapsed_s);
/* Share of its memory that the step with most had; NaN: not known. */
double job_memory_share(const struct job_resources *r);

#endif
