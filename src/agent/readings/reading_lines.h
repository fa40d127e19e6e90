/* SPDX-License-Identifier: Apache-2.0 */
/* reading_lines - which readings of targets are due, as lines of POST /v1/health.
 *
 *     totals of a server, every totals_interval ─▶ of each target that it serves:
 * space, this server; every health_interval, and at once where a target is new here
 *
 * A target that moved is reported by the server that has it now; the one that had it
 * reports nothing.  A target that comes and goes is reported once a minute at most.
 *
 * Threads  one at a time.
 */
#ifndef AGENT_READINGS_READING_LINES_H
#define AGENT_READINGS_READING_LINES_H

#include "agent/config.h"
#include "base/strbuf.h"

#define READING_TARGETS_MAX 512

struct reading_lines;

/* opts must outlive it.  Errors: -ENOMEM. */
int reading_lines_new(const struct agent_opts *opts, struct reading_lines **ret);
void reading_lines_free(struct reading_lines *lines);
DEFINE_AUTO(struct reading_lines, reading_lines_free);

/* Whether a reading of all targets is due at t_ns. */
bool reading_lines_is_due(const struct reading_lines *lines, int64_t t_ns);
/* What get_param printed of the server's totals at t_ns: lines are appended to out,
 * *ret_count of them; those are counted as reported.  Errors: -ENOMEM. */
int reading_lines_add(struct reading_lines *lines, int64_t t_ns, struct span text,
                      struct strbuf *out, uint32_t *ret_count);

#endif
