/* SPDX-License-Identifier: Apache-2.0 */
/* metric_queue - lines of metrics on disk until barod's store has them.
 *
 *     put, any thread ──▶ memory (64 texts, 8 MiB) ──loop──▶ zstd ──▶ SPOOL/metrics
 *         (64 MiB at most) ──sender──▶ POST /api/write?open=1
 *
 * A sampling thread does not wait for a disk: what memory has no capacity for is lost,
 * and counted.  The last sample of a series at a time stays, so sending twice changes
 * nothing.
 *
 * Threads  put: any.  The others: the loop's.
 */
#ifndef AGENT_SAMPLING_METRIC_QUEUE_H
#define AGENT_SAMPLING_METRIC_QUEUE_H

#include "agent/send/send.h"

#include <uv.h>

#define METRIC_QUEUE_BYTES_MAX (UINT64_C(64) << 20)

struct metric_queue;

/* opts, report and loop must outlive it.  Errors: as post_queue_open(). */
int metric_queue_open(const struct agent_opts *opts, const struct agent_report *report,
                      uv_loop_t *loop, struct metric_queue **ret, struct err *err);
/* What is in memory goes to the disk.  The memory stays as long as the loop. */
void metric_queue_close(struct metric_queue *queue);
/* The text becomes the queue's; count: its lines. */
void metric_queue_put(struct metric_queue *queue, struct strbuf *text, uint32_t count);
void metric_queue_count(struct metric_queue *queue, struct post_queue_counts *ret);

#endif
