/* SPDX-License-Identifier: Apache-2.0 */
/* active - how many handlers run and requests wait for a response, for a clean stop.
 *
 * Threads  any.
 */
#ifndef NET_ACTIVE_H
#define NET_ACTIVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct active {
    pthread_mutex_t lock;
    pthread_cond_t none;
    size_t count;
    bool is_closed;
};

void active_init(struct active *active);
void active_done(struct active *active);
/* May a handler, or another thread, work for a request?  If so, active_end() is due. */
bool active_begin(struct active *active);
/* A handler has returned without deferring, or a deferred request got its response. */
void active_end(struct active *active);
/* Waits until none is at work; from then on none begins: a deferred one would outlive
 * the threads. */
void active_close(struct active *active);

#endif
