/* SPDX-License-Identifier: Apache-2.0 */
/* contribution - what a plugin contributes, as the session merges it. */
#include "plugin/contribution.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

/* ---- what a sink has ---- */

/* What a table of Lua for one needs, without the text of its name. */
#define INPUT_BYTES 256

#define INPUT_NAME_MAX (BUNDLE_NAME_MAX + REDUCE_LABEL_MAX + 1)
#define INPUT_FRAME_BYTES (INPUT_NAME_MAX + 2 + 2 + 1 + 8 + 2)
_Static_assert(PLUGIN_INPUTS_MAX *INPUT_FRAME_BYTES + 128 <= FRAME_BYTES_MAX,
               "the inputs of a call fit a frame");

struct input_builder {
    struct plugin_inputs *inputs;
    size_t bytes_left; /* of the plugin's memory */
    size_t name_bytes; /* of those that have a place */
    size_t filled;
    char *names; /* where the next goes */
};

static void measure_input(void *arg, const char *name, double value)
{
    struct input_builder *m = arg;
    size_t size = strlen(name);
    (void)value;
    if (m->inputs->cut > 0 || m->inputs->count == PLUGIN_INPUTS_MAX ||
        size > INPUT_NAME_MAX || INPUT_BYTES + size > m->bytes_left) {
        m->inputs->cut++;
        return;
    }
    m->inputs->count++;
    m->bytes_left -= INPUT_BYTES + size;
    m->name_bytes += size;
}

/* The first ones are those that have a place. */
static void fill_input(void *arg, const char *name, double value)
{
    struct input_builder *m = arg;
    size_t size = strlen(name);
    if (m->filled == m->inputs->count)
        return;
    memcpy(m->names, name, size);
    m->inputs->items[m->filled++] =
        (struct plugin_input){ .name = { m->names, size }, .value = value };
    m->names += size;
}

int plugin_inputs_make(const struct bundle *bundle, const char *plugin,
                       size_t memory_bytes, struct plugin_inputs *ret)
{
    char prefix[PLUGIN_NAME_MAX + 2];
    int size = snprintf(prefix, sizeof prefix, "%s.", plugin);
    const struct span of = { prefix, (size_t)size };
    struct input_builder builder = { .inputs = ret, .bytes_left = memory_bytes / 4 };
    *ret = (struct plugin_inputs){ 0 };
    bundle_numbers(bundle, of, measure_input, &builder);
    if (ret->count == 0)
        return 0;
    ret->items = calloc(1, ret->count * sizeof *ret->items + builder.name_bytes);
    if (!ret->items)
        return -ENOMEM;
    builder.names = (char *)(ret->items + ret->count);
    bundle_numbers(bundle, of, fill_input, &builder);
    return 0;
}

void plugin_inputs_done(struct plugin_inputs *inputs)
{
    free(inputs->items);
    *inputs = (struct plugin_inputs){ 0 };
}
