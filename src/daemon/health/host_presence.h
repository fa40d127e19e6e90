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
 * the times that are in them: clocks of hosts are wrong.
 *
 * Threads  batch, member, count: any, between start and stop.
 */
#ifndef DAEMON_HEALTH_HOST_PRESENCE_H
#define DAEMON_HEALTH_HOST_PRESENCE_H

#include "daemon/health/own_statements.h"
#include "resource/resource.h"
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
/* Of a session: the host of that name that is known, else CLUSTER/HOST. */
void host_presence_member(struct host_presence *presence, struct span cluster,
                          struct span host, bool is_online);

void host_presence_count(struct host_presence *presence, struct presence_counts *ret);

#endif
