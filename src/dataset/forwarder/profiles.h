/* SPDX-License-Identifier: Apache-2.0 */
/* profiles - what datasets' starts read, as the repository has it, however many levels
 * above: one request for all who want the same one, and once a minute; where there is
 * none, once in five seconds.
 *
 *     profiles_find ─▶ there, and fresh: at once
 *                └───▶ repository, or upstream ─▶ each that waits
 *
 * A text passes through as it is: who replays it reads it by start_profile_parse().
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_PROFILES_H
#define DATASET_FORWARDER_PROFILES_H

#include "dataset/forwarder/upstreams.h"
#include "dataset/forwarder/work.h"

/* Datasets of which one is in memory, or under way: at most 11 MiB. */
#define PROFILES_MAX 16U

struct profile_entry;

struct profile_waiter {
    /* text: the profiles' own, empty where the dataset has none.  rc: -EBUSY (too many
     * are under way), -ENOMEM, -ETIMEDOUT, those of the repository and of upstreams. */
    void (*done)(struct profile_waiter *waiter, int rc, struct payload *text);
    struct profile_entry *entry; /* NULL: it does not wait */
    struct profile_waiter *next;
};

struct profiles {
    struct work_pool *pool;
    struct upstreams *upstreams; /* NULL: the repository's own */
    int64_t patience_ns;
    struct profile_entry *first; /* the one that was requested last */
    unsigned count;
};

/* done() may be called before this returns. */
void profiles_find(struct profiles *profiles, const struct digest *name,
                   struct profile_waiter *waiter);
/* done() is not called. */
void profiles_leave(struct profile_waiter *waiter);
/* Those who waited longer than the patience do so no longer. */
void profiles_check(struct profiles *profiles, int64_t now_ns);
bool profiles_are_idle(const struct profiles *profiles);
/* After the loop has ended. */
void profiles_clear(struct profiles *profiles);

#endif
