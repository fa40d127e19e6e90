/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_store - what the metric store counts, as Prometheus reads it. */
#ifndef DAEMON_METRICS_STORE_H
#define DAEMON_METRICS_STORE_H

#include "base/strbuf.h"
#include "store/store.h"

/* now_ns: for the age of each worker's last run. */
void metrics_add_store(const struct metric_store_status *status, int64_t now_ns,
                       struct strbuf *out);

#endif
