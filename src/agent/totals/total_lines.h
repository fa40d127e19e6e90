/* SPDX-License-Identifier: Apache-2.0 */
/* total_lines - the totals of a server's targets as line protocol.
 *
 * Counters are printed as they are.  Histograms (brw_stats) become quantiles of what
 * came to them since the reading before: the bucket in which the quantile lies.
 *
 * Threads  none inside.
 */
#ifndef AGENT_TOTALS_TOTAL_LINES_H
#define AGENT_TOTALS_TOTAL_LINES_H

#include "base/strbuf.h"
#include "source/lustre/lustre.h"

struct agent_lines;

/* The texts must outlive it.  Errors: -ENOMEM. */
int agent_lines_new(const char *cluster, const char *host, struct agent_lines **ret);
void agent_lines_free(struct agent_lines *lines);
DEFINE_AUTO(struct agent_lines, agent_lines_free);

/* All totals of one time, out of what get_param printed.  Errors: -ENOMEM. */
int agent_lines_totals(struct agent_lines *lines, int64_t t_ns, struct span text,
                       struct strbuf *out);
#endif
