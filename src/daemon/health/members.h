/* SPDX-License-Identifier: Apache-2.0 */
/* members - who is online in the session, from its thread to that of presence.
 *
 *     session, each result ─▶ note: the set, copied ─▶ each, at a scan ─▶ names
 *
 * The session's thread waits for nothing but this copy: neither for the table of
 * resources nor for a scan.
 *
 * Threads  begin, before any other; note, each: one of either.
 */
#ifndef DAEMON_HEALTH_MEMBERS_H
#define DAEMON_HEALTH_MEMBERS_H

#include "model/model.h"
#include "session/reduce/reduce.h"

struct members;

/* Errors: -ENOMEM. */
int members_new(struct members **ret);
void members_free(struct members *members);
DEFINE_AUTO(struct members, members_free);

struct members_of {
    const struct hostset *hosts; /* by rank */
    uint32_t rank;               /* this node's: it is left out */
    int64_t valid_ns;            /* so long a set holds that is not noted again */
};

/* Once.  Errors: -ENOMEM. */
int members_begin(struct members *members, const struct members_of *of);
void members_note(struct members *members, const struct rank_set *online,
                  int64_t steady_ns);

/* Each that is online, and those that are not any more since the last time. */
typedef void member_fn(void *arg, struct span host, bool is_online);
void members_each(struct members *members, int64_t steady_ns, member_fn *fn, void *arg);

#endif
