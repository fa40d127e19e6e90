/* SPDX-License-Identifier: Apache-2.0 */
/* host_presence - the thread that follows which hosts send: their samples in the metric
 * store, batches of rows, members of the session.
 *
 *     store: is the newest sample of a host a newer one? ─┐
 *     writer: a batch of rows of a server ────────────────┼▶ presence ─▶ statements
 *     session: who is online ─────────────────────────────┘
 *
 * It reads one series of each host that sends, and those of silent ones; the store's
 * writers do nothing for it.  It is the order in which samples arrive that counts, not
 * the times that are in them: clocks of hosts are wrong (arrivals.h).  The session's
 * thread waits neither for a scan nor for the table (members.h).
 *
 * Threads  batch, count: any, between start and stop.  session, then members: one.
 */
#ifndef DAEMON_HEALTH_HOST_PRESENCE_H
#define DAEMON_HEALTH_HOST_PRESENCE_H

#include "daemon/health/own_statements.h"
#include "resource/resource.h"
#include "session/reduce/reduce.h"
#include "store/store.h"

struct host_presence;

/* All outlive it. */
struct host_presence_opts {
    const struct resource_rules *rules; /* discover, silent_after */
    struct resource_table *table;
    struct metric_store *store; /* NULL: none */
    struct own_statements *statements;
};

/* *ret stays NULL where nothing is to be discovered, and the others do nothing for
 * NULL. Errors: -ENOMEM, -EAGAIN (no thread). */
int host_presence_start(const struct host_presence_opts *opts,
                        struct host_presence **ret, struct err *err);
void host_presence_stop(struct host_presence *presence);

/* A server whose rows came: where exactly one host of that name is known. */
void host_presence_batch(struct host_presence *presence, struct span server);

/* A member is the host of that name that is known, else CLUSTER/HOST; without a cluster
 * no host is made of it. */
struct host_presence_session {
    struct span cluster;         /* as long as presence; may be empty */
    const struct hostset *hosts; /* by rank */
    uint32_t rank;               /* of this node, which is left out */
    int64_t valid_ns;            /* so long it is believed who is online */
};
/* Once, before members.  Errors: -ENOMEM. */
int host_presence_session(struct host_presence *presence,
                          const struct host_presence_session *session);
/* Who is online now. */
void host_presence_members(struct host_presence *presence,
                           const struct rank_set *online);

void host_presence_count(struct host_presence *presence, struct presence_counts *ret);

#endif
