/* SPDX-License-Identifier: Apache-2.0 */
/* site_link - what of a job's session the site's session hears of: by the agent of this
 * node, as its user's.
 *
 *     begin, end ───────────────┐
 *     events with these names ──┴▶ queue ──▶ a thread ──▶ agent's socket ──▶ user.NAME
 *
 * Whose they are is what the kernel states to the agent.  Nothing waits for it: what
 * the agent refuses, or has no place in the queue, is dropped and counted. Threads
 * open, close: one; send: any.
 */
#ifndef JOBSESSION_SITE_SITE_LINK_H
#define JOBSESSION_SITE_SITE_LINK_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdint.h>

#define SITE_QUEUE_MAX 128

struct site_link;

/* path: of the agent's socket; it is connected to when there is something to send.
 * Errors: -ENOMEM, -EAGAIN (threads). */
int site_link_open(const char *path, struct site_link **ret);
/* What waits is sent, for two seconds at most.  NULL is fine. */
void site_link_close(struct site_link *link);
DEFINE_AUTO(struct site_link, site_link_close);
/* An event; payload of one line.  NULL is fine. */
void site_link_send(struct site_link *link, struct span name, struct span payload);

/* Wait until what is queued is sent, for two seconds at most. */
void site_link_flush(struct site_link *link);

struct site_counts {
    uint64_t sent, lost;
    char error[512]; /* why they are lost; "": none is */
};
void site_link_count(struct site_link *link, struct site_counts *ret);

#endif
