/* SPDX-License-Identifier: Apache-2.0 */
/* job_resources - what a job was given and what it used, as its batch system accounts.
 */
#include "model/job_resources.h"

#include <math.h>

const char *const job_resource_names[JOB_RESOURCE_COUNT] = {
    [JOB_TIME_LIMIT_S] = "time_limit_s",
    [JOB_CPUS] = "cpus",
    [JOB_MEMORY_BYTES] = "memory_bytes",
    [JOB_GPUS] = "gpus",
    [JOB_CPU_TIME_MS] = "cpu_time_ms",
    [JOB_MEMORY_PEAK_BYTES] = "memory_peak_bytes",
    [JOB_TASK_MEMORY_PEAK_BYTES] = "task_memory_peak_bytes",
    [JOB_ENERGY_J] = "energy_j",
    [JOB_EXIT_STATUS] = "exit_status",
    [JOB_EXIT_SIGNAL] = "exit_signal",
};

bool job_resource_known(const struct job_resources *r, enum job_resource what)
{
    return r->known >> what & 1;
}

bool job_resource_set(struct job_resources *r, enum job_resource what, int64_t value)
{
    if (value < 0 || value > JOB_RESOURCE_MAX)
        return false;
    r->known |= UINT32_C(1) << what;
    r->value[what] = value;
    return true;
}

void job_resource_add(struct job_resources *r, enum job_resource what, int64_t value)
{
    if (!job_resource_known(r, what))
        (void)job_resource_set(r, what, value);
}

void job_resource_raise(struct job_resources *r, enum job_resource what, int64_t value)
{
    if (!job_resource_known(r, what) || r->value[what] < value)
        (void)job_resource_set(r, what, value);
}

void job_resources_unite(struct job_resources *r, const struct job_resources *more)
{
    for (enum job_resource i = 0; i < JOB_RESOURCE_COUNT; i++)
        if (job_resource_known(more, i))
            job_resource_add(r, i, more->value[i]);
}

static double share_of(const struct job_resources *r, enum job_resource part,
                       enum job_resource whole, double per)
{
    if (!job_resource_known(r, part) || !job_resource_known(r, whole) ||
        r->value[whole] == 0 || !(per > 0))
        return (double)NAN;
    return (double)r->value[part] / ((double)r->value[whole] * per);
}

double job_cpu_share(const struct job_resources *r, double elapsed_s)
{
    return share_of(r, JOB_CPU_TIME_MS, JOB_CPUS, elapsed_s * 1000);
}

double job_memory_share(const struct job_resources *r)
{
    return share_of(r, JOB_MEMORY_PEAK_BYTES, JOB_MEMORY_BYTES, 1);
}
