/* SPDX-License-Identifier: Apache-2.0 */
/* metric_queue - lines of metrics on disk until barod's store has them.
 *
 *     text_queue ──zstd──▶ SPOOL/metrics (64 MiB at most) ──▶ POST /api/write?open=1
 *
 * The last sample of a series at a time stays, so sending twice changes nothing.
 */
#ifndef AGENT_SAMPLING_METRIC_QUEUE_H
#define AGENT_SAMPLING_METRIC_QUEUE_H

#include "agent/sampling/text_queue.h"

#define METRIC_QUEUE_BYTES_MAX (UINT64_C(64) << 20)

/* opts, report and loop must outlive it.  Errors: as text_queue_open(). */
int metric_queue_open(const struct agent_opts *opts, const struct agent_report *report,
                      uv_loop_t *loop, struct text_queue **ret, struct err *err);

#endif
