/* SPDX-License-Identifier: Apache-2.0 */
/* forward - the joint between the metric store and the engines that it is forwarded to.
 *
 *     batch ─▶ queues of the targets ─▶ store
 *
 * A batch is queued before it is stored: what is stored is forwarded, also when barod
 * dies between the two.  While the store refuses batches it is the other way round, or
 * their senders' repeats would fill the queues.
 * Threads  daemon_forward_store(), daemon_forward_sync(): any.
 */
#ifndef DAEMON_FORWARD_H
#define DAEMON_FORWARD_H

#include "daemon/config/config.h"
#include "store/store.h"

struct daemon_forward;

/* The targets of all [forward NAME]; *ret stays NULL where there is none.  store
 * outlives it. Errors: -EINVAL, those of the queues. */
int daemon_forward_new(const struct config *config,
                       const struct daemon_store_opts *opts, struct metric_store *store,
                       struct daemon_forward **ret, struct err *err);
/* What that would refuse; nothing is made. */
int daemon_forward_check(const struct config *config, struct err *err);
int daemon_forward_start(struct daemon_forward *forward, struct err *err);
void daemon_forward_free(struct daemon_forward *forward);
DEFINE_AUTO(struct daemon_forward, daemon_forward_free);

/* As metric_store_put(); forward NULL: nothing is forwarded. */
int daemon_forward_store(struct daemon_forward *forward, struct metric_store *store,
                         const struct metric_batch *batch, struct sample_counts *ret);
/* What was queued before survives loss of power.  Errors: those of the disk. */
int daemon_forward_sync(struct daemon_forward *forward);
/* As Prometheus reads it. */
void daemon_forward_print(const struct daemon_forward *forward, struct strbuf *out);

#endif
