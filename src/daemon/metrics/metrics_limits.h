/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_limits - how full every budget, queue and limit is, as Prometheus reads it.
 */
#ifndef DAEMON_METRICS_LIMITS_H
#define DAEMON_METRICS_LIMITS_H

#include "daemon/parts.h"

/* resident_bytes: of the whole process; what is in no other account is its own. */
void metrics_add_limits(const struct daemon_parts *parts, uint64_t resident_bytes,
                        struct strbuf *out);

#endif
