/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_values - what plugins yield, as the session has it.
 *
 *     event high of plugin fds          fds.high  {"severity":"warning","text":"..."}
 *     contribution open, mean, of fds   fds.open  moments
 */
#ifndef AGENT_SAMPLING_PLUGIN_VALUES_H
#define AGENT_SAMPLING_PLUGIN_VALUES_H

#include "base/log.h"
#include "plugin/plugin.h"
#include "session/session.h"

/* Name and payload, as node_publish() has them. */
void plugin_event_print(const struct plugin_event *event, struct strbuf *name,
                        struct strbuf *payload);
enum log_level plugin_event_level(const struct plugin_event *event);
/* Errors: -ENOTSUP (lua: not merged on the way), as bundle_put(). */
int plugin_contribute(const struct plugin_contribution *c, const char *host,
                      uint32_t rank, struct bundle *bundle);

#endif
