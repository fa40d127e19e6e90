/* SPDX-License-Identifier: Apache-2.0 */
/* store_sink - the joint between what takes lines in and the metric store. */
#ifndef DAEMON_STORE_SINK_H
#define DAEMON_STORE_SINK_H

#include "daemon/forward.h"
#include "ingest/ingest.h"
#include "store/store.h"

struct store_sink;

/* store and opts outlive it; series_max is the store's.  Errors: -EINVAL (opts->step),
 * -ENOMEM. */
int store_sink_new(struct metric_store *store, uint64_t series_max,
                   const struct write_opts *opts, struct store_sink **ret,
                   struct err *err);
/* Before anything is put: what is stored is forwarded as well. */
void store_sink_forward(struct store_sink *write, struct daemon_forward *forward);
void store_sink_free(struct store_sink *write);
const struct sink *store_sink_get(const struct store_sink *write);

#endif
