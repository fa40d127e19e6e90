/* SPDX-License-Identifier: Apache-2.0 */
/* usage - what users, groups and projects hold, read now and then and sent as metrics.
 *
 *     every usage_interval   lctl or baro-lustre-read ─▶ accounts ─▶ usage_top ─▶ ring
 *
 * The first reading is at the start.  Times are multiples of the interval (of the first
 * one: of a minute), so that those of all servers fit.  A server whose storage has no
 * accounts sends none.
 *
 * Threads  the loop's.
 */
#ifndef AGENT_TOTALS_USAGE_H
#define AGENT_TOTALS_USAGE_H

#include "agent/totals/total_ring.h"

#include <uv.h>

struct agent_usage;

struct agent_usage_counts {
    uint64_t readings, readings_failed;
    uint64_t bad_lines;
};

/* *ret stays NULL where usage_interval is 0.  Arguments and usage have to
 * stay until the loop has ended.  Errors: -EINVAL (the interval), -ENOMEM. */
int agent_usage_start(const struct agent_opts *opts, uv_loop_t *loop,
                      const struct agent_report *report, struct total_ring *ring,
                      struct agent_usage **ret, struct err *err);
void agent_usage_stop(struct agent_usage *usage); /* NULL is fine */
/* Zeros for NULL. */
void agent_usage_count(const struct agent_usage *usage, struct agent_usage_counts *ret);

#endif
