/* SPDX-License-Identifier: Apache-2.0 */
/* server_metrics - what an agent sends of its server, and of the jobs of its node, as
 * metrics: names, units, kinds.
 *
 * The agent sends them by these names, barod knows them without a section of its
 * configuration.
 */
#ifndef DAEMON_SERVER_METRICS_H
#define DAEMON_SERVER_METRICS_H

#include "base/span_type.h"

#include <stdbool.h>
#include <stddef.h>

struct server_metric {
    const char *name;
    const char *unit;
    bool is_counter; /* else a gauge */
    bool is_summed;  /* over the targets of a server; else averaged */
};

/* NULL: it is none of them. */
const struct server_metric *server_metric_find(struct span name);
/* NULL: there are no more. */
const struct server_metric *server_metric_at(size_t index);

#endif
