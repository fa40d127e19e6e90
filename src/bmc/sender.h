/* SPDX-License-Identifier: Apache-2.0 */
/* sender - what was read, on its way to barod; and which hosts barod does not hear.
 *
 *     statements ─▶ buffer ─▶ POST /v1/resources ─┐
 *     samples    ─▶ buffer ─▶ POST /api/write     ├▶ one thread, once a second
 *     silent fn  ◀── GET /v1/resources/silent ◀───┘
 *     events     ─▶ POST /v1/events/NAME?once=true, while the caller waits
 *
 * What barod cannot accept now stays in its buffer.  Statements that were lost are news
 * again: bmc_sender_generation() is another then.
 *
 * Bounds   SENDER_BYTES_MAX of each buffer; what is more is lost, counted and logged.
 * Threads  any; one inside.
 */
#ifndef BMC_SENDER_H
#define BMC_SENDER_H

#include "bmc/config.h"

#define SENDER_BYTES_MAX ((size_t)16 << 20)

struct bmc_sender;

/* Called by its thread for each host that barod does not hear; then, with component
 * empty, when that were all of them. */
typedef void bmc_sender_silent_fn(void *arg, struct span component, int64_t since_ns);

/* Errors: those of the token's file and the URL, -ENOMEM, -EAGAIN (no thread). */
int bmc_sender_start(const struct bmc_poller_opts *opts, bmc_sender_silent_fn *fn,
                     void *arg, struct bmc_sender **ret, struct err *err);
/* Sends what is there, for at most some seconds. */
void bmc_sender_stop(struct bmc_sender *sender);
/* Once, without a thread: can it be connected to, and does it accept the token? */
int bmc_sender_check(const struct bmc_poller_opts *opts, struct err *err);

/* Emptied.  */
void bmc_sender_add(struct bmc_sender *sender, struct strbuf *statements,
                    struct strbuf *samples);
/* Errors: -EAGAIN (later), others: barod refuses it, and always will. */
int bmc_sender_publish(struct bmc_sender *sender, const char *name, struct span payload,
                       struct err *err);
uint64_t bmc_sender_generation(const struct bmc_sender *sender);

struct bmc_sender_counts {
    uint64_t statements, refused, lost_bytes, events, events_lost;
};
void bmc_sender_count(struct bmc_sender *sender, struct bmc_sender_counts *ret);

#endif
