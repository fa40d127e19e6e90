/* SPDX-License-Identifier: Apache-2.0 */
/* counters - the agent's own counters, in the text form of Prometheus.
 *
 *     # TYPE baro_agent_rounds_total counter
 *     baro_agent_rounds_total 7
 */
#ifndef AGENT_COUNTERS_H
#define AGENT_COUNTERS_H

#include "agent/rounds.h"
#include "agent/send/send.h"
#include "agent/totals/totals.h"

struct agent_counters {
    struct rounds_counts rounds;
    struct observe_counts observe;
    size_t generations; /* of the entries that are remembered */
    struct spool_counts spool;
    struct sender_counts sender;
    struct agent_totals_counts totals;
    int64_t token_expires_s; /* 0: there is no token */
};

/* Append them to out; a failure of its memory is out's. */
void agent_counters_print(const struct agent_counters *counters, struct strbuf *out);
/* Write the text beside path, and over it where that went well; a file that cannot be
 * written is left as it was. */
void agent_counters_write(const char *path, const struct strbuf *text);

#endif
