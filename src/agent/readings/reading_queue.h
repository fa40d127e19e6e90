/* SPDX-License-Identifier: Apache-2.0 */
/* reading_queue - readings of targets on disk until barod has acknowledged them.
 *
 *     lines of one reading ──put──▶ SPOOL/readings (16 MiB at most) ──sender──▶
 *         POST /v1/health ──200──▶ the next
 *
 * The first reading of a target at a time stays, so sending twice changes nothing.  A
 * reading that barod refuses is stored in SPOOL/readings/refused and not sent again;
 * one line of it that barod refuses is counted.
 *
 * Threads  as post_queue.
 */
#ifndef AGENT_READINGS_READING_QUEUE_H
#define AGENT_READINGS_READING_QUEUE_H

#include "agent/send/send.h"

#define READING_QUEUE_BYTES_MAX (UINT64_C(16) << 20)

/* opts and report must outlive it.  Errors: as post_queue_open(). */
int reading_queue_open(const struct agent_opts *opts, const struct agent_report *report,
                       struct post_queue **ret, struct err *err);

#endif
