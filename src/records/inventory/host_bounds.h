/* SPDX-License-Identifier: Apache-2.0 */
/* host_bounds - how much the reports of one host's parts may cost; private to records.
 *
 *     reports   HOST_REPORTS_BURST at once, then one in HOST_REPORT_INTERVAL_MS
 *     changes   HOST_CHANGES_PER_DAY that are stored, by the day (UTC)
 *
 * By the clock of this host: a sender chooses the times of its reports.  Forgotten when
 * the program ends, and where more than HOSTS_MAX hosts reported.
 *
 * Threads  the writer's.
 */
#ifndef RECORDS_INVENTORY_HOST_BOUNDS_H
#define RECORDS_INVENTORY_HOST_BOUNDS_H

#include "base/cleanup.h"
#include "base/span.h"

#include <stddef.h>
#include <stdint.h>

#define HOST_REPORTS_BURST 100
#define HOST_REPORT_INTERVAL_MS INT64_C(10000)
#define HOST_CHANGES_PER_DAY ((size_t)10000)

struct host_bounds;

/* Errors: -ENOMEM. */
int host_bounds_new(struct host_bounds **ret);
void host_bounds_free(struct host_bounds *bounds); /* NULL is fine */
DEFINE_AUTO(struct host_bounds, host_bounds_free);

/* 1: a report may come now, and is counted; 0: there were too many.  Errors: -ENOMEM.
 */
int host_bounds_report(struct host_bounds *bounds, struct span cluster,
                       struct span host, int64_t now_ms);
/* So many of count changes may be stored, and are counted; of a host whose report was
 * counted. */
size_t host_bounds_changes(struct host_bounds *bounds, struct span cluster,
                           struct span host, int64_t now_ms, size_t count);

#endif
