/* SPDX-License-Identifier: Apache-2.0 */
/* report_part - what sessions of this node's users report, on its way to barod.
 *
 *     socket ──session JSON──▶ whose, which job, when ─▶ SPOOL/sessions ─▶
 *                                                        POST /v1/sessions
 *
 * Uid and job are what the kernel states.  A report is accepted once it is on the disk:
 * what was accepted survives this process.  One that is sent twice changes nothing at
 * barod.
 *
 * Bounds   REPORT_SESSIONS_MAX sessions, a sixteenth of them a user's, each for an hour
 *          after its last report; REPORT_QUEUE_BYTES_MAX on the disk, of which the
 *          oldest go, counted.
 * Threads  open, close: the agent's loop.  count: any.  The others: one.
 */
#ifndef AGENT_SAMPLING_REPORT_PART_H
#define AGENT_SAMPLING_REPORT_PART_H

#include "agent/local/local_listener.h"
#include "agent/sampling/text_queue.h"

#define REPORT_QUEUE_BYTES_MAX (UINT64_C(64) << 20)
enum { REPORT_SESSIONS_MAX = 256, REPORT_SESSIONS_OF_USER = REPORT_SESSIONS_MAX / 16 };

struct report_part;

/* watchers: who is given what sessions in theirs report; NULL: none.  All outlive it.
 * Errors: as text_queue_open(). */
int report_part_open(const struct agent_opts *opts, const struct agent_report *report,
                     uv_loop_t *loop, struct local_watchers *watchers,
                     struct report_part **ret, struct err *err);
void report_part_close(struct report_part *part); /* NULL is fine */
/* As submit and settle of local_opts. */
const char *report_part_put(struct report_part *part,
                            const struct local_submission *submission,
                            uint64_t *ret_ticket);
const char *report_part_settle(struct report_part *part, uint64_t ticket);
void report_part_count(struct report_part *part, struct post_queue_counts *ret);

#endif
