/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_merge - what the reduce of plugins makes of contributions for lua. */
#include "plugin/directory/plugin_merge.h"

#include "base/span.h"

#include <stdio.h>

void plugin_merge_add(struct plugin_merge_state *state,
                      const struct plugin_contribution *c)
{
    struct plugin_merged merged = { .value = c->value };
    int size = snprintf(merged.name, sizeof merged.name, "%s." SPAN_FMT "%s",
                        c->when.plugin->name, SPAN_ARG(c->name), PLUGIN_LUA_SUFFIX);
    AUTO(strbuf_done) struct strbuf label = STRBUF_INIT;
    if (c->merge != PLUGIN_LUA || state->count == PLUGIN_LUA_ENTRIES ||
        size >= (int)sizeof merged.name || plugin_lua_label(c->text, &label) < 0) {
        state->dropped++;
        return;
    }
    merged.name_size = (uint8_t)size;
    merged.text_size = (uint8_t)label.size;
    memcpy(merged.text, label.data, label.size);
    state->items[state->count++] = merged;
}

/* A rank of those whose values they were: another would not be of this subtree. */
static void merged_into(const struct plugin_merge_state *state, struct span name,
                        struct bundle *bundle)
{
    struct reduce_input entries[PLUGIN_LUA_ENTRIES];
    const struct bundle_item *item = bundle_find(bundle, name, REDUCE_TOP);
    size_t count = 0;
    if (!item || item->reduction.top.count == 0)
        return;
    uint32_t rank = item->reduction.top.entries[0].rank;
    for (size_t i = 0; i < state->count; i++) {
        const struct plugin_merged *m = &state->items[i];
        if (!span_eq((struct span){ m->name, m->name_size }, name))
            continue;
        entries[count++] = (struct reduce_input){ .value = m->value,
                                                  .rank = rank,
                                                  .text = { m->text, m->text_size },
                                                  .limit = PLUGIN_LUA_ENTRIES };
    }
    (void)bundle_set_top(bundle, name, entries, count);
}

/* "fds.v:lua" is "fds.v.lost" then. */
static void lost_from(struct span name, struct bundle *bundle)
{
    AUTO(strbuf_done) struct strbuf lost = STRBUF_INIT;
    strbuf_add(&lost, name.data, name.size - strlen(PLUGIN_LUA_SUFFIX));
    strbuf_adds(&lost, ".lost");
    if (strbuf_error(&lost) == 0)
        (void)bundle_lose_top(bundle, name, strbuf_span(&lost));
}

static bool is_of(struct span name, const char *plugin)
{
    size_t size = strlen(plugin);
    return name.size > size && memcmp(name.data, plugin, size) == 0 &&
           name.data[size] == '.' && span_ends(name, PLUGIN_LUA_SUFFIX);
}

void plugin_merge_done(struct plugin_merge_state *state, const struct plugin_done *done,
                       struct bundle *bundle)
{
    struct span names[PLUGIN_LUA_ENTRIES];
    char texts[PLUGIN_LUA_ENTRIES][BUNDLE_NAME_MAX];
    size_t count = 0;
    bool is_fine = done->outcome == FRAME_FINE;
    state->failed += !is_fine;
    /* Copies: the bundle's items move. */
    for (size_t i = 0; bundle && i < bundle->count && count < COUNT_OF(names); i++) {
        struct span name = bundle_name(&bundle->items[i]);
        if (bundle->items[i].reduction.kind != REDUCE_TOP ||
            !is_of(name, done->when.plugin->name))
            continue;
        memcpy(texts[count], name.data, name.size);
        names[count] = (struct span){ texts[count], name.size };
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_fine)
            merged_into(state, names[i], bundle);
        else
            lost_from(names[i], bundle);
    }
    state->count = 0;
}
