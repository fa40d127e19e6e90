/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_values - what plugins yield, as the session has it. */
#include "agent/sampling/plugin_values.h"

#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"

#define HIGHEST 5

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

int plugin_contribute(const struct plugin_contribution *c, const char *host,
                      uint32_t rank, struct bundle *bundle)
{
    static const double bounds[] = { 1e-3, 1e-2, 1e-1, 1,   1e1, 1e2, 1e3,
                                     1e4,  1e5,  1e6,  1e7, 1e8, 1e9 };
    static const enum reduce_kind kinds[] = {
        [PLUGIN_SUM] = REDUCE_SUM,
        [PLUGIN_MIN] = REDUCE_MIN,
        [PLUGIN_MAX] = REDUCE_MAX,
        [PLUGIN_MEAN] = REDUCE_MOMENTS,
        [PLUGIN_HISTOGRAM] = REDUCE_HISTOGRAM,
        [PLUGIN_QUANTILE] = REDUCE_QUANTILES,
        [PLUGIN_TOP] = REDUCE_TOP,
        [PLUGIN_STATE] = REDUCE_STATES,
        [PLUGIN_HOSTS] = REDUCE_HOSTS,
    };
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    if (c->merge >= PLUGIN_LUA)
        return -ENOTSUP;
    const struct reduce_input input = {
        .value = c->value,
        .rank = rank,
        .text = c->merge == PLUGIN_TOP ? span_of(host) : c->text,
        .limit = HIGHEST,
        .bounds = bounds,
        .bound_count = COUNT_OF(bounds),
    };
    strbuf_addf(&name, "%s." SPAN_FMT, c->when.plugin->name, SPAN_ARG(c->name));
    int rc = strbuf_error(&name);
    return rc < 0 ? rc
                  : bundle_put(bundle, strbuf_span(&name), kinds[c->merge], &input);
}
