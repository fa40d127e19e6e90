/* SPDX-License-Identifier: Apache-2.0 */
/* job_line - one job as one line of JSON, which job_json reads again.
 *
 *     {"cluster":"alex","id":"5_1","raw_id":"7","user":"ann","account":"phys",
 *      "partition":"batch","state":"COMPLETED","submit":1795227920,"start":1795227930,
 *      "end":1795227933,"node_count":2,"nodes":"n[1-2]","name":"arr|pipe name"}
 *
 * What is not told is left out.  Times are seconds since the epoch, with decimals where
 * there are any.  Bytes that are no UTF-8 become U+FFFD; all else comes back.
 */
#ifndef SOURCE_SCHEDULER_JOB_LINE_H
#define SOURCE_SCHEDULER_JOB_LINE_H

#include "base/strbuf.h"
#include "source/scheduler/job.h"

void job_line_print(const struct sched_job *job, struct strbuf *out);

#endif
