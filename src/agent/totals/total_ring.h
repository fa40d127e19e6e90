/* SPDX-License-Identifier: Apache-2.0 */
/* total_ring - texts of metrics that wait for barod, and the thread that sends them.
 *
 *     total_ring_put ──▶ at most 64 texts, 8 MiB: the oldest go ──▶ POST /api/write
 *
 * A barod without a metric store is tried again every five minutes; until then nothing
 * is wanted.
 * Threads  the functions are called from one thread, that of the loop.
 */
#ifndef AGENT_TOTALS_TOTAL_RING_H
#define AGENT_TOTALS_TOTAL_RING_H

#include "agent/config.h"
#include "agent/report.h"
#include "base/strbuf.h"

struct total_ring;

struct total_ring_counts {
    uint64_t sent, sent_bytes; /* acknowledged */
    uint64_t lost;             /* readings that the ring had no capacity for */
    uint64_t refused;          /* readings that barod did not understand */
    uint64_t attempts_failed;
};

/* opts is copied as far as it is needed; report must outlive the ring.  Errors:
 * -EINVAL (the server's address), of the token, -ENOMEM, what pthread_create returns.
 */
int total_ring_new(const struct agent_opts *opts, const struct agent_report *report,
                   struct total_ring **ret, struct err *err);
/* Waits for the thread, but not for a request under way: then what is there stays. */
void total_ring_stop(struct total_ring *ring);
/* Takes the text over, and lets the oldest go where there is no capacity. */
void total_ring_put(struct total_ring *ring, struct strbuf *text);
/* Whether the server wants metrics, as far as is known. */
bool total_ring_is_wanted(struct total_ring *ring);
void total_ring_count(struct total_ring *ring, struct total_ring_counts *ret);

#endif
