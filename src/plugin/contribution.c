/* SPDX-License-Identifier: Apache-2.0 */
/* contribution - what a plugin contributes, as the session merges it. */
#include "plugin/contribution.h"

#include "base/number.h"
#include "base/span.h"

#include <stdio.h>
#include <string.h>

#define HIGHEST 5

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

static void input_add(void *arg, const char *name, double value)
{
    struct plugin_inputs *inputs = arg;
    size_t size = strlen(name);
    if (inputs->count == PLUGIN_INPUTS_MAX || size >= sizeof inputs->names[0]) {
        inputs->cut++;
        return;
    }
    char *copy = memcpy(inputs->names[inputs->count], name, size + 1);
    inputs->items[inputs->count++] =
        (struct plugin_input){ .name = { copy, size }, .value = value };
}

void plugin_inputs_make(const struct bundle *bundle, const char *plugin,
                        struct plugin_inputs *ret)
{
    char prefix[PLUGIN_NAME_MAX + 2];
    int size = snprintf(prefix, sizeof prefix, "%s.", plugin);
    ret->count = ret->cut = 0;
    bundle_numbers(bundle, (struct span){ prefix, (size_t)size }, input_add, ret);
}
