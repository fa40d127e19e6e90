/* SPDX-License-Identifier: Apache-2.0 */
/* stats_text - a node's counters in the text form of Prometheus. */
#ifndef SESSION_STATS_TEXT_H
#define SESSION_STATS_TEXT_H

#include "session/node.h"

/* Names begin with prefix ("baro_session_"). */
void session_stats_print(const struct session_node_stats *stats, const char *prefix,
                         struct strbuf *out);

#endif
