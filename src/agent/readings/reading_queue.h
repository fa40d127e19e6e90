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
 * Threads  the functions are called from one thread, that of the loop.
 */
#ifndef AGENT_READINGS_READING_QUEUE_H
#define AGENT_READINGS_READING_QUEUE_H

#include "agent/config.h"
#include "agent/report.h"
#include "spool/spool.h"

#define READING_QUEUE_BYTES_MAX (UINT64_C(16) << 20)

struct reading_queue;

struct reading_queue_counts {
    uint64_t sent;    /* readings that barod acknowledged, also those it had already */
    uint64_t refused; /* readings that it refused */
    uint64_t not_stored;
    uint64_t attempts_failed;
    uint64_t waiting, lost; /* readings */
};

/* opts and report must outlive it.  Errors: of the spool, of the server's address, of
 * the token, -ENOMEM, what pthread_create returns. */
int reading_queue_open(const struct agent_opts *opts, const struct agent_report *report,
                       struct reading_queue **ret, struct err *err);
/* What waits stays on disk.  Amid a request the memory stays, too. */
void reading_queue_close(struct reading_queue *queue);
/* What cannot be stored is reported and counted.  Returns whether it was. */
bool reading_queue_put(struct reading_queue *queue, struct span lines, uint32_t count);
void reading_queue_count(struct reading_queue *queue, struct reading_queue_counts *ret);

#endif
