/* SPDX-License-Identifier: Apache-2.0 */
/* job_line - one job as one line of JSON, and a strict reader of that line.
 *
 *     {"cluster":"alex","id":"5_1","raw_id":"7","user":"ann","uid":1001,
 *      "group":"phys","gid":100,"account":"phys",
 *      "partition":"batch","state":"COMPLETED","submit":1795227920,"start":1795227930,
 *      "end":1795227933,"node_count":2,"nodes":"n[1-2]","cpus":8,
 *      "memory_bytes":8589934592,"gpus":0,"cpu_time_ms":21345,"exit_status":0,
 *      "name":"arr|pipe name"}
 *
 * A line with "step" is of a step of the job: "0", "batch".
 *
 * What is not known is left out.  Times are seconds since the epoch, with decimals
 * where there are any.  Bytes that are no UTF-8 become U+FFFD; all else comes back.
 */
#ifndef MODEL_JOB_LINE_H
#define MODEL_JOB_LINE_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "model/job.h"

#define JOB_LINE_BYTES_MAX ((size_t)1 << 20)

void job_line_print(const struct job *job, struct strbuf *out);

/* Read what job_line_print() prints, with or without the line's end; its keys may come
 * in any order.  Texts of *ret lie in arena.  source/scheduler reads what else batch
 * systems tell; here nothing is guessed.
 * Errors: -EBADMSG (err says why: not JSON, a key that is not known or given twice, a
 * value of another kind, or job_check() says no), -ENOMEM. */
int job_line_read(struct span line, struct arena *arena, struct job *ret,
                  struct err *err);

#endif
