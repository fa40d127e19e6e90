/* SPDX-License-Identifier: Apache-2.0 */
/* job_js1 - what a job used, in the form that Princeton's jobstats writes into the
 * AdminComment of Slurm's accounting; reportseff and others read it, too.
 *
 *     JS1:<base64 of gzip of JSON>
 *     {"nodes":{"c01":{"total_memory":B,"used_memory":B,"total_time":CPU seconds,
 *                      "cpus":N,"gpu_total_memory":{"0":B},"gpu_used_memory":{"0":B},
 *                      "gpu_utilization":{"0":%}}},
 *      "total_time":seconds,"gpus":N}
 *     JS1:Short   it ran for less than a minute
 *     JS1:None    of none of its nodes all is known
 */
#ifndef REPORT_JOB_JOB_JS1_H
#define REPORT_JOB_JOB_JS1_H

#include "analysis/footprint/footprint.h"
#include "base/err.h"
#include "base/strbuf.h"

#define JOB_JS1_SHORT_S 60
#define JOB_JS1_BYTES_MAX 65535 /* the column of Slurm's database has no more */

/* Append the comment, without a line end; a job of the same numbers has the same text.
 * Errors: -E2BIG (JOB_JS1_BYTES_MAX), -ENOMEM. */
int job_js1_print(const struct job_use *use, struct strbuf *out, struct err *err);

#endif
