/* SPDX-License-Identifier: Apache-2.0 */
/* proc_sample - load and memory of this node, as contributions to an epoch. */
#ifndef AGENT_PROC_SAMPLE_H
#define AGENT_PROC_SAMPLE_H

#include "base/cleanup.h"
#include "session/session.h"

/* Open files of /proc, read again at each instant. */
struct proc_sample {
    int loadavg, meminfo; /* -1: not there */
};

/* Below root ("/").  A file that is not there contributes nothing. */
void proc_sample_open(struct proc_sample *sample, const char *root);
void proc_sample_close(struct proc_sample *sample);
DEFINE_AUTO_DONE(struct proc_sample, proc_sample_close);

/* load_one, mem_total, mem_free and mem_used (bytes), each as sum, min, max, moments
 * and quantiles; of load_one also the five highest. */
void proc_sample_put(const struct proc_sample *sample, const char *host,
                     const struct session_instant *at, struct bundle *bundle);

#endif
