/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_check - health that a plugin states, as a check of resources. */
#include "plugin/directory/plugin_check.h"

#include "base/span.h"

#define KIND "plugin"

struct resource_check plugin_check_of(const struct plugin_health *health)
{
    static const enum resource_health healths[] = {
        [PLUGIN_UP] = RESOURCE_UP,
        [PLUGIN_DEGRADED] = RESOURCE_DEGRADED,
        [PLUGIN_DOWN] = RESOURCE_DOWN,
        [PLUGIN_UNKNOWN] = RESOURCE_UNKNOWN,
    };
    return (struct resource_check){
        .kind = KIND,
        .name = span_of(health->when.plugin->name),
        .part = span_of(health->component),
        .health = healths[health->state],
        .reason = health->reason,
        .t_ns = health->when.t_ns,
    };
}

bool plugin_check_end(const struct plugin_event *event, struct resource_check *ret)
{
    bool is_removed = strcmp(event->name, "plugin_removed") == 0;
    bool is_withdrawn = strcmp(event->name, "plugin_withdrawn") == 0;
    if (!is_removed && !is_withdrawn && strcmp(event->name, "plugin_suspended") != 0)
        return false;
    *ret = (struct resource_check){
        .kind = KIND,
        .name = span_of(event->when.plugin->name),
        .part = SPAN(CHECK_OF_HOST),
        .health = is_removed ? RESOURCE_UP : RESOURCE_UNKNOWN,
        .reason = is_withdrawn ? SPAN("not run, its file is not safe")
                               : SPAN("suspended, its calls failed"),
        .t_ns = event->when.t_ns,
    };
    return true;
}
