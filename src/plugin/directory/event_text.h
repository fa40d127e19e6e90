/* SPDX-License-Identifier: Apache-2.0 */
/* event_text - a plugin's event as a session has it.
 *
 *     event high of plugin fds          fds.high  {"severity":"warning","text":"..."}
 */
#ifndef PLUGIN_DIRECTORY_EVENT_TEXT_H
#define PLUGIN_DIRECTORY_EVENT_TEXT_H

#include "base/log.h"
#include "plugin/plugin.h"

/* Name and payload, as a session's event. */
void plugin_event_print(const struct plugin_event *event, struct strbuf *name,
                        struct strbuf *payload);
enum log_level plugin_event_level(const struct plugin_event *event);

#endif
