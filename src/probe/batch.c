/* SPDX-License-Identifier: Apache-2.0 */
/* batch - the job of the batch system that a campaign runs in. */
#include "probe/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL: it is not set, or is nothing that could be an id. */
static const char *batch_text(const char *name)
{
    const char *text = getenv(name);
    if (!text || !text[0] || strlen(text) >= BATCH_TEXT_BYTES)
        return NULL;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return NULL;
    return text;
}

struct batch_job batch_job_read(void)
{
    static const char *const names[] = { "SLURM_JOB_ID", "PBS_JOBID", "COBALT_JOBID",
                                         "FLUX_JOB_ID", "LSB_JOBID" };
    const char *array = batch_text("SLURM_ARRAY_JOB_ID");
    const char *task = batch_text("SLURM_ARRAY_TASK_ID");
    const char *cluster = batch_text("SLURM_CLUSTER_NAME");
    const char *id = NULL;
    struct batch_job job = { 0 };
    for (size_t i = 0; !id && i < sizeof names / sizeof names[0]; i++)
        id = batch_text(names[i]);
    if (id)
        (void)snprintf(job.id, sizeof job.id, "%s", id);
    if (array && task && strlen(array) + strlen(task) + 1 < sizeof job.id) {
        char *end = stpcpy(job.id, array);
        *end++ = '_';
        memcpy(end, task, strlen(task) + 1);
    }
    if (cluster && job.id[0])
        (void)snprintf(job.cluster, sizeof job.cluster, "%s", cluster);
    return job;
}
