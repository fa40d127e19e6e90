/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_page - the daemon's own counters as Prometheus reads them, and its health.
 *
 * Threads  any: each room counts with atomics of its own.
 */
#ifndef DAEMON_METRICS_PAGE_H
#define DAEMON_METRICS_PAGE_H

#include "daemon/parts.h"

/* GET /metrics, for Prometheus, and GET /healthz.  Errors: -ENOMEM. */
int metrics_page_register(struct daemon_parts *parts);
/* The body of /metrics. */
void metrics_page_print(const struct daemon_parts *parts, struct strbuf *out);

#endif
