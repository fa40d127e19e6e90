/* SPDX-License-Identifier: Apache-2.0 */
/* change_waiters - requests that wait for the next change, and the thread that replies
 * to them.
 *
 * Bound    CHANGE_WAITERS_MAX.
 * Threads  any; reply is called on the thread of its own, or on that of stop.
 */
#ifndef API_RESOURCE_CHANGE_WAITERS_H
#define API_RESOURCE_CHANGE_WAITERS_H

#include "net/net.h"
#include "resource/resource.h"

#define CHANGE_WAITERS_MAX 64

struct change_wait {
    struct net_request *request;
    struct resource_change_id after;
    uint64_t limit;
    int64_t due_ns; /* steady */
};

struct change_waiters;

/* reply, once a wait: is_over where it is stopped.  Errors: -ENOMEM, -EAGAIN. */
int change_waiters_new(struct resource_table *table,
                       void (*reply)(void *arg, const struct change_wait *wait,
                                     bool is_over),
                       void *arg, struct change_waiters **ret, struct err *err);
/* Defers the request.  Errors: -EAGAIN (as many as can wait), -ESHUTDOWN. */
int change_waiters_add(struct change_waiters *waiters, const struct change_wait *wait);
void change_waiters_wake(struct change_waiters *waiters);
void change_waiters_stop(struct change_waiters *waiters);
/* Stops it, when that was not done. */
void change_waiters_free(struct change_waiters *waiters);

#endif
