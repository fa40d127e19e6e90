/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_value - amounts as Slurm and PBS write them.
 *
 *     1-02:03:04  02:03:04  00:12.345  02:03:04.5      times
 *     190000M  4Gn  12345K  1.5T  123kb  0             sizes; K is 1024
 *     cpu=4,mem=8G,node=1,gres/gpu=2,gres/gpu:a100=2   TRES
 *
 * Errors: -EINVAL (none of these); then outputs are untouched.
 */
#ifndef SOURCE_SCHEDULER_SLURM_VALUE_H
#define SOURCE_SCHEDULER_SLURM_VALUE_H

#include "base/span_type.h"
#include "model/model.h"

int slurm_duration_parse(struct span text, int64_t *ret_ms);
int slurm_size_parse(struct span text, int64_t *ret_bytes);

/* "cpu=4,mem=8G,gres/gpu=2": CPUs, memory and GPUs that *ret does not know yet.  GPUs
 * of one type (gpu:a100) are counted where the list has no sum of all; a list with CPUs
 * and no GPU means that there is none.  What is no TRES is passed over. */
void slurm_tres_parse(struct span text, struct job_resources *ret);
/* The memory of such a list of what was used, in bytes.  Errors: -ENOENT. */
int slurm_tres_memory(struct span text, int64_t *ret_bytes);

#endif
