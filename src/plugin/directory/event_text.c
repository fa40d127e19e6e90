/* SPDX-License-Identifier: Apache-2.0 */
/* event_text - a plugin's event as a session has it. */
#include "plugin/directory/event_text.h"

#include "base/json_writer.h"

void plugin_event_print(const struct plugin_event *event, struct strbuf *name,
                        struct strbuf *payload)
{
    const char *plugin = event->when.plugin->name;
    struct json_writer w;
    strbuf_addf(name, "%s.%s", plugin[0] ? plugin : "plugin", event->name);
    json_writer_init(&w, payload);
    json_object(&w);
    json_key(&w, "severity");
    json_text(&w, plugin_severity_name(event->severity));
    json_key(&w, "text");
    json_span(&w, event->text);
    json_object_end(&w);
}

enum log_level plugin_event_level(const struct plugin_event *event)
{
    switch (event->severity) {
    case PLUGIN_FATAL:
    case PLUGIN_ERROR:
        return LOG_LEVEL_ERROR;
    case PLUGIN_WARNING:
        return LOG_LEVEL_WARN;
    default:
        return LOG_LEVEL_INFO;
    }
}
