/* SPDX-License-Identifier: Apache-2.0 */
/* sender - what was read, on its way to barod; and which hosts barod does not hear.
 *
 *     statements ─▶ buffer ─▶ POST /v1/resources ─┐
 *     samples    ─▶ buffer ─▶ POST /api/write     ├▶ one thread, once a second
 *     silent fn  ◀── GET /v1/resources/silent ◀───┘
 *     events     ─▶ POST /v1/events/NAME?once=true, while the caller waits
 *
 * What barod cannot accept now stays in its buffer.  Statements that were lost are news
 * again: sender_generation() is another then.
 *
 * Bounds   SENDER_BYTES_MAX of each buffer; what is more is lost, counted and logged.
 * Threads  any; one inside.
 */
#ifndef BMC_SENDER_H
#define BMC_SENDER_H

#include "bmc/config.h"

#define SENDER_BYTES_MAX ((size_t)16 << 20)

struct sender;

/* Called by its thread for each host that barod does not hear; then, with component
 * empty, when that were all of them. */
typedef void sender_silent_fn(void *arg, struct span component, int64_t since_ns);

/* Errors: those of the token's file and the URL, -ENOMEM, -EAGAIN (no thread). */
int sender_start(const struct bmc_poller_opts *opts, sender_silent_fn *fn, void *arg,
                 struct sender **ret, struct err *err);
/* Sends what is there, for at most some seconds. */
void sender_stop(struct sender *sender);
/* Once, without a thread: can it be connected to, and does it accept the token? */
int sender_check(const struct bmc_poller_opts *opts, struct err *err);

/* Emptied.  */
void sender_add(struct sender *sender, struct strbuf *statements,
                struct strbuf *samples);
/* Errors: -EAGAIN (later), others: barod refuses it, and always will. */
int sender_publish(struct sender *sender, const char *name, struct span payload,
                   struct err *err);
uint64_t sender_generation(const struct sender *sender);

struct sender_counts {
    uint64_t statements, refused, lost_bytes, events, events_lost;
};
void sender_count(struct sender *sender, struct sender_counts *ret);

#endif
