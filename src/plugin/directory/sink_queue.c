/* SPDX-License-Identifier: Apache-2.0 */
/* sink_queue - the calls of sinks that one result of a session leads to. */
#include "plugin/directory/sink_queue.h"

#include <stdio.h>
#include <string.h>

/* The first after one that was called is logged whatever else is. */
static void not_called(struct sink_queue *q, const char *file, const char *why)
{
    bool is_first = !q->is_missing;
    q->is_missing = true;
    q->counts.not_called++;
    plugin_report(q->report, LOG_LEVEL_WARN, is_first,
                  "the %s of plugin %s is not called: %s",
                  plugin_function_name(q->function), file, why);
}

/* One that is loaded again has the manifest of before until then. */
static bool is_due(const struct sink_queue *q, const struct host_plugin *plugin,
                   uint64_t epoch)
{
    const struct plugin_manifest *m = plugin->manifest;
    return (plugin->state == HOST_READY || plugin->state == HOST_LOADING) &&
           m->functions & 1U << q->function && epoch % m->period == 0;
}

static void add_call(struct sink_queue *q, const struct host_plugin *plugin,
                     const struct bundle *bundle)
{
    const char *name = plugin->manifest->name;
    struct sink_call *call = &q->calls[q->count];
    int rc = q->function == PLUGIN_REDUCE
                 ? plugin_reduce_inputs_make(bundle, name, &call->inputs)
                 : plugin_inputs_make(bundle, name, q->memory_bytes, &call->inputs);
    if (rc < 0) {
        not_called(q, plugin->file, strerror(-rc));
        return;
    }
    if (q->function == PLUGIN_REDUCE && call->inputs.count == 0)
        return; /* there is nothing to merge */
    (void)snprintf(call->file, sizeof call->file, "%s", plugin->file);
    (void)snprintf(call->plugin, sizeof call->plugin, "%s", name);
    q->counts.cut += call->inputs.cut;
    if (call->inputs.cut > 0)
        plugin_report(q->report, LOG_LEVEL_WARN, false,
                      "the %s of plugin %s has %zu of %zu numbers",
                      plugin_function_name(q->function), plugin->file,
                      call->inputs.count, call->inputs.count + call->inputs.cut);
    q->count++;
}

void sink_queue_fill(struct sink_queue *q, uint64_t epoch, int64_t t_ns,
                     const struct bundle *bundle)
{
    size_t count = host_plugin_count(q->host);
    sink_queue_clear(q);
    q->epoch = epoch;
    q->t_ns = t_ns;
    for (size_t i = 0; i < count; i++) {
        struct host_plugin plugin;
        host_plugin_at(q->host, i, &plugin);
        if (is_due(q, &plugin, epoch))
            add_call(q, &plugin, bundle);
    }
}

static bool has_name(const struct plugin_host *host, const struct sink_call *call)
{
    size_t count = host_plugin_count(host);
    for (size_t i = 0; i < count; i++) {
        struct host_plugin plugin;
        host_plugin_at(host, i, &plugin);
        if (strcmp(plugin.file, call->file) == 0)
            return strcmp(plugin.manifest->name, call->plugin) == 0;
    }
    return false;
}

static const char *why_not(int rc)
{
    switch (rc) {
    case -EAGAIN:
        return "it is not loaded now";
    case -ENOENT:
        return "it is another plugin now";
    case -EINVAL:
        return "it has none any more";
    default:
        return strerror(-rc);
    }
}

bool sink_queue_call(struct sink_queue *q)
{
    while (!sink_queue_is_empty(q)) {
        struct sink_call *next = &q->calls[q->next++];
        const struct plugin_call call = { .function = q->function,
                                          .epoch = q->epoch,
                                          .t_ns = q->t_ns,
                                          .inputs = next->inputs.items,
                                          .input_count = next->inputs.count };
        int rc =
            has_name(q->host, next) ? host_call(q->host, next->file, &call) : -ENOENT;
        plugin_inputs_done(&next->inputs);
        q->is_missing = q->is_missing && rc < 0;
        if (rc == 0)
            return true;
        not_called(q, next->file, why_not(rc));
    }
    return false;
}

void sink_queue_clear(struct sink_queue *q)
{
    while (q->next < q->count)
        plugin_inputs_done(&q->calls[q->next++].inputs);
    q->next = q->count = 0;
}
