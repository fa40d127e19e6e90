/* SPDX-License-Identifier: Apache-2.0 */
/* active - how many handlers run and requests wait for a response, for a clean stop. */
#include "net/active.h"

#include "base/cleanup.h"

void active_init(struct active *active)
{
    *active = (struct active){ .count = 0 };
    (void)pthread_mutex_init(&active->lock, NULL);
    (void)pthread_cond_init(&active->none, NULL);
}

void active_done(struct active *active)
{
    (void)pthread_mutex_destroy(&active->lock);
    (void)pthread_cond_destroy(&active->none);
}

bool active_begin(struct active *active)
{
    LOCKED(&active->lock);
    active->count += !active->is_closed;
    return !active->is_closed;
}

void active_end(struct active *active)
{
    LOCKED(&active->lock);
    if (--active->count == 0)
        (void)pthread_cond_broadcast(&active->none);
}

void active_close(struct active *active)
{
    LOCKED(&active->lock);
    while (active->count)
        (void)pthread_cond_wait(&active->none, &active->lock);
    active->is_closed = true;
}
