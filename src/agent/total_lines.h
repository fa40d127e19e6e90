/* SPDX-License-Identifier: Apache-2.0 */
/* total_lines - a server's totals as line protocol.
 *
 *     lustre_write_bytes,cluster=lustre,hostname=oss01,type=ost,type-id=s-OST0001
 * value=7 T server_load,cluster=lustre,hostname=oss01 value=0.5 T
 *
 * Counters are told as they are.  Histograms (brw_stats) are told as quantiles of what
 * came to them since the time before: the bucket in which the quantile lies.
 *
 * Threads  none inside.
 */
#ifndef AGENT_TOTAL_LINES_H
#define AGENT_TOTAL_LINES_H

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
/* CPU, memory and load, from proc below root; shares of the CPU from the second time
 * on.  What is not there is left out. */
void agent_lines_server(struct agent_lines *lines, int64_t t_ns, const char *root,
                        struct strbuf *out);

#endif
