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

int plugin_lua_label(struct span text, struct strbuf *out)
{
    if (text.size > PLUGIN_LUA_TEXT_MAX)
        return -EINVAL;
    strbuf_adds(out, text.size > 0 ? PLUGIN_LUA_TEXT : PLUGIN_LUA_NUMBER);
    strbuf_add_span(out, text);
    return strbuf_error(out);
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
        [PLUGIN_LUA] = REDUCE_TOP,
    };
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    bool is_lua = c->merge == PLUGIN_LUA;
    if (!is_lua && span_ends(c->name, PLUGIN_LUA_SUFFIX))
        return -EINVAL;
    AUTO(strbuf_done) struct strbuf label = STRBUF_INIT;
    int rc = is_lua ? plugin_lua_label(c->text, &label) : 0;
    if (rc < 0)
        return rc;
    const struct reduce_input input = {
        .value = c->value,
        .rank = rank,
        .text = is_lua                   ? strbuf_span(&label)
                : c->merge == PLUGIN_TOP ? span_of(host)
                                         : c->text,
        .limit = is_lua ? PLUGIN_LUA_ENTRIES : HIGHEST,
        .bounds = bounds,
        .bound_count = COUNT_OF(bounds),
    };
    strbuf_addf(&name, "%s." SPAN_FMT "%s", c->when.plugin->name, SPAN_ARG(c->name),
                is_lua ? PLUGIN_LUA_SUFFIX : "");
    rc = strbuf_error(&name);
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

/* NAME out of PLUGIN.NAME:lua; empty: it is another item. */
static struct span lua_name(const struct bundle_item *item, struct span prefix)
{
    struct span name = bundle_name(item);
    size_t around = prefix.size + strlen(PLUGIN_LUA_SUFFIX);
    if (item->reduction.kind != REDUCE_TOP || name.size <= around ||
        memcmp(name.data, prefix.data, prefix.size) != 0 ||
        !span_ends(name, PLUGIN_LUA_SUFFIX))
        return (struct span){ "", 0 };
    return (struct span){ name.data + prefix.size, name.size - around };
}

/* For a sink: each value that is left, as a rule one; and how many there were. */
static void lua_numbers(const struct bundle *bundle, struct span prefix,
                        bundle_number_fn *fn, void *arg)
{
    char name[BUNDLE_NAME_MAX + 8];
    for (size_t i = 0; i < bundle->count; i++) {
        const struct reduction *r = &bundle->items[i].reduction;
        struct span of = lua_name(&bundle->items[i], prefix);
        if (of.size == 0)
            continue;
        (void)snprintf(name, sizeof name, SPAN_FMT, SPAN_ARG(of));
        for (size_t k = 0; k < r->top.count; k++)
            fn(arg, name, r->top.entries[k].value);
        (void)snprintf(name, sizeof name, SPAN_FMT "_count", SPAN_ARG(of));
        fn(arg, name, (double)r->count);
    }
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
    lua_numbers(bundle, of, measure_input, &builder);
    if (ret->count == 0)
        return 0;
    ret->items = calloc(1, ret->count * sizeof *ret->items + builder.name_bytes);
    if (!ret->items)
        return -ENOMEM;
    builder.names = (char *)(ret->items + ret->count);
    bundle_numbers(bundle, of, fill_input, &builder);
    lua_numbers(bundle, of, fill_input, &builder);
    return 0;
}

/* ---- what a reduce has ---- */

#define FROM_BYTES 12 /* of a rank */

/* 0 where no name has two: a leaf of the tree has nothing to merge. */
static size_t lua_entries(const struct bundle *bundle, struct span prefix)
{
    size_t count = 0, most = 0;
    for (size_t i = 0; i < bundle->count; i++) {
        size_t entries = bundle->items[i].reduction.top.count;
        if (lua_name(&bundle->items[i], prefix).size == 0)
            continue;
        count += entries;
        most = entries > most ? entries : most;
    }
    if (most < 2)
        return 0;
    return count < PLUGIN_INPUTS_MAX ? count : PLUGIN_INPUTS_MAX;
}

static struct span input_text(char **at, struct span text)
{
    struct span copy = { *at, text.size };
    memcpy(*at, text.data, text.size);
    *at += text.size;
    return copy;
}

static void fill_reduce_input(const struct reduce_top_entry *entry, struct span name,
                              char **at, struct plugin_input *ret)
{
    char from[FROM_BYTES];
    (void)snprintf(from, sizeof from, "%u", (unsigned)entry->rank);
    *ret = (struct plugin_input){ .value = entry->value };
    ret->name = input_text(at, name);
    ret->from = input_text(at, span_of(from));
    ret->is_text = entry->label.text[0] == PLUGIN_LUA_TEXT[0];
    ret->text =
        input_text(at, (struct span){ entry->label.text + 1, entry->label.size - 1U });
}

int plugin_reduce_inputs_make(const struct bundle *bundle, const char *plugin,
                              struct plugin_inputs *ret)
{
    char prefix[PLUGIN_NAME_MAX + 2];
    int size = snprintf(prefix, sizeof prefix, "%s.", plugin);
    const struct span of = { prefix, (size_t)size };
    size_t count = lua_entries(bundle, of);
    *ret = (struct plugin_inputs){ 0 };
    if (count == 0)
        return 0;
    ret->items = calloc(count, sizeof *ret->items + BUNDLE_NAME_MAX + FROM_BYTES +
                                   REDUCE_LABEL_MAX);
    if (!ret->items)
        return -ENOMEM;
    char *at = (char *)(ret->items + count);
    for (size_t i = 0; i < bundle->count; i++) {
        const struct reduction *r = &bundle->items[i].reduction;
        struct span name = lua_name(&bundle->items[i], of);
        for (size_t k = 0; name.size > 0 && k < r->top.count; k++) {
            if (ret->count == count)
                ret->cut++;
            else
                fill_reduce_input(&r->top.entries[k], name, &at,
                                  &ret->items[ret->count++]);
        }
    }
    return 0;
}

void plugin_inputs_done(struct plugin_inputs *inputs)
{
    free(inputs->items);
    *inputs = (struct plugin_inputs){ 0 };
}
