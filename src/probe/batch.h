/* SPDX-License-Identifier: Apache-2.0 */
/* batch - the job of the batch system that a campaign runs in. */
#ifndef PROBE_BATCH_H
#define PROBE_BATCH_H

#define BATCH_TEXT_BYTES 128

struct batch_job {
    char id[BATCH_TEXT_BYTES];      /* as lists of jobs have it; "": none is known */
    char cluster[BATCH_TEXT_BYTES]; /* "": it is not named */
};

/* Out of the environment of Slurm, PBS, Cobalt, Flux or LSF, in this order.  An element
 * of an array of Slurm is "5_1".  A text that is longer or has a control byte is none.
 */
struct batch_job batch_job_read(void);

#endif
