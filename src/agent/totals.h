/* SPDX-License-Identifier: Apache-2.0 */
/* totals - the server's totals, read and sent as metrics.
 *
 *     every totals_interval   lctl or baro-lustre-read ─▶ total_lines ─▶ ring
 *     a thread of its own     ring ─▶ POST /api/write
 *
 * Totals are told again by the next reading, so nothing of them is kept on disk: while
 * barod is away a short ring holds the newest, what leaves it is counted.  A barod
 * without a metric store is asked again now and then; until then nothing is read.
 */
#ifndef AGENT_TOTALS_H
#define AGENT_TOTALS_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>

struct agent;
struct agent_totals;

/* NULL where totals_interval is 0.  Errors: -ENOMEM, of the token and the server's
 * address. */
int agent_totals_start(struct agent *agent, struct agent_totals **ret, struct err *err);
void agent_totals_stop(struct agent_totals *totals);

struct agent_totals_counts {
    uint64_t readings, readings_failed;
    uint64_t readings_waiting; /* the last one had not returned */
    uint64_t sent, sent_bytes; /* acknowledged */
    uint64_t lost;             /* readings that the ring had no room for */
    uint64_t refused;          /* readings that barod did not understand */
    uint64_t attempts_failed;
};
/* Zeros for NULL. */
void agent_totals_count(struct agent_totals *totals, struct agent_totals_counts *ret);

/* ---- total_ring: texts that wait, and the thread that sends them ---- */

struct agent_ring;

int agent_ring_new(const struct agent *agent, struct agent_ring **ret, struct err *err);
/* Waits for the thread, but not for a request under way: then what is there stays. */
void agent_ring_stop(struct agent_ring *ring);
/* Takes the text, and lets the oldest go where there is no room. */
void agent_ring_put(struct agent_ring *ring, struct strbuf *text);
/* Whether there is somebody who wants metrics, as far as is known. */
bool agent_ring_is_wanted(struct agent_ring *ring);
void agent_ring_count(struct agent_ring *ring, struct agent_totals_counts *ret);

#endif
