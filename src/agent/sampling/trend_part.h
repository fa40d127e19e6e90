/* SPDX-License-Identifier: Apache-2.0 */
/* trend_part - what corrected errors came of late, over restarts of the agent.
 *
 *     STATE/error.trends ─▶ source/node ─ after a round ─▶ file_writer ─▶ the same file
 *
 * The file is replaced as a whole.  One that is damaged is set aside as
 * error.trends.damaged, with a line in the log, and the days before are not known.
 *
 * Threads  as the sampler's.
 */
#ifndef AGENT_SAMPLING_TREND_PART_H
#define AGENT_SAMPLING_TREND_PART_H

#include "agent/agent.h"
#include "source/node/node.h"

struct trend_part;

/* *ret stays NULL where memory is not a source.  The others outlive it.
 * Errors: -ENOMEM, those of starting a thread. */
int trend_part_open(const struct agent_opts *opts, const struct agent_report *report,
                    struct node_sources *sources, struct trend_part **ret,
                    struct err *err);
/* Before the sources go; NULL is fine, also below. */
void trend_part_close(struct trend_part *part);
/* After a round. */
void trend_part_save(struct trend_part *part);
uint64_t trend_part_failures(const struct trend_part *part);

#endif
