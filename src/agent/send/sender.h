/* SPDX-License-Identifier: Apache-2.0 */
/* sender - from the spool to barod, in order, one batch at a time.
 *
 *     spool ──▶ delivery ──▶ acknowledged in the spool, the next
 *                  └──▶ later: the same again after a pause that doubles
 *
 * A thread of its own, because a server that hangs must not delay a read.
 * Threads  the functions are called from one thread, that of the loop.
 */
#ifndef AGENT_SEND_SENDER_H
#define AGENT_SEND_SENDER_H

#include "agent/send/delivery.h"
#include "spool/spool.h"

#include <stdatomic.h>

struct sender;

/* What sends a record where it is no batch of rows; send NULL: a delivery.  Called on
 * the sender's thread. */
struct sender_sink {
    void *arg;
    enum delivery_outcome (*send)(void *arg, uint64_t sequence, struct span payload,
                                  uint32_t entries);
    int64_t (*retry_after_s)(const void *arg); /* -1: nothing */
};

struct sender_opts {
    struct spool *spool;
    /* Up to here records belong to reads that count: the sender goes no further. */
    const _Atomic uint64_t *committed;
    int64_t backoff_max_ns;
    struct delivery_opts delivery; /* its post_fn is called on the sender's thread */
    struct sender_sink sink;
};

struct sender_counts {
    struct delivery_counts delivery;
    uint64_t attempts_failed;
};

/* All that opts points to must outlive the sender.  Errors: -ENOMEM, what
 * pthread_create says. */
int sender_start(const struct sender_opts *opts, struct sender **ret, struct err *err);
/* There may be more to send. */
void sender_wake(struct sender *sender);
/* Wait until all that counts was sent, or an attempt failed.  Errors: -EAGAIN (it
 * did, and something waits). */
int sender_drain(struct sender *sender);
/* End the thread and free what it has.  Amid a request it is not waited for, and its
 * memory stays: what it sends is stored until acknowledged, and known when it comes
 * again.  Returns whether it has ended. */
bool sender_stop(struct sender *sender);
void sender_count(struct sender *sender, struct sender_counts *ret);

#endif
