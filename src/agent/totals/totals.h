/* SPDX-License-Identifier: Apache-2.0 */
/* totals - the server's totals, read and sent as metrics; of them readings of targets.
 *
 *     every totals_interval   lctl or baro-lustre-read ─▶ total_lines, server_lines ─▶
 *     ring; a thread of its own   ring ─▶ POST /api/write
 *     where due   the same text ─▶ reading_lines ─▶ reading_queue ─▶ POST /v1/health
 *
 * Totals are reported again by the next reading, so nothing of them is stored on disk:
 * while barod is away a short ring holds the newest, what leaves it is counted.  A
 * barod without a metric store is tried again now and then; until then they are read
 * for readings of targets alone, which are stored until acknowledged.
 * Threads  the loop's.
 */
#ifndef AGENT_TOTALS_TOTALS_H
#define AGENT_TOTALS_TOTALS_H

#include "agent/readings/reading_queue.h"
#include "agent/totals/total_ring.h"
#include "agent/totals/usage.h"

#include <uv.h>

struct agent_totals;

struct agent_totals_counts {
    uint64_t readings, readings_failed;
    uint64_t readings_waiting; /* the last one had not returned */
    struct agent_usage_counts usage;
    struct total_ring_counts ring;
    struct post_queue_counts health;
};

/* *ret stays NULL where totals_interval and health_interval are 0.  opts, loop and
 * report must outlive the totals.  Errors: -EINVAL (an interval), as total_ring_new and
 * reading_queue_open, -ENOMEM. */
int agent_totals_start(const struct agent_opts *opts, uv_loop_t *loop,
                       const struct agent_report *report, struct agent_totals **ret,
                       struct err *err);
void agent_totals_stop(struct agent_totals *totals);
/* Zeros for NULL. */
void agent_totals_count(struct agent_totals *totals, struct agent_totals_counts *ret);

#endif
