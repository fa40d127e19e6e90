/* SPDX-License-Identifier: Apache-2.0 */
/* job_layers_text - the interfaces that a run used, and what was recorded beside its
 * I/O, in sentences. */
#ifndef REPORT_JOB_JOB_LAYERS_TEXT_H
#define REPORT_JOB_JOB_LAYERS_TEXT_H

#include "analysis/job/job.h"

/* Nothing where there is one interface, and no record of AutoPerf. */
void job_layers_print(const struct profile *p, struct strbuf *out);

#endif
