/* SPDX-License-Identifier: Apache-2.0 */
/* nats - the joint between NATS and what takes lines in. */
#ifndef DAEMON_NATS_H
#define DAEMON_NATS_H

#include "ingest/ingest.h"

/* What [nats] and [nats_subscription NAME] say, ready for nats_source_start(); *ret
 * stays NULL where there is no address.  write, sink and routes outlive it.  Errors:
 * -EINVAL, -EACCES, -ENOMEM, -EAGAIN (no thread). */
int daemon_nats_new(const struct config *config, const struct write_opts *write,
                    const struct sink *sink, struct write_routes *routes,
                    struct nats_source **ret, struct err *err);
/* Its counters as Prometheus reads them. */
void daemon_nats_print(struct nats_source *source, struct strbuf *out);

#endif
