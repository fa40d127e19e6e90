/* SPDX-License-Identifier: Apache-2.0 */
/* table_effect - the health of each component, made anew where something changed.
 *
 * One statement costs its component, the parts of its host, and the members of an
 * enclosure whose health it changes: of each once.
 */
#include "base/span.h"
#include "resource/effect.h"
#include "resource/presence.h"
#include "resource/table_private.h"

/* ---- of what is stated ---- */

static const struct stated *own_decisive(const struct node *node)
{
    const struct stated *worst = NULL;
    for (uint32_t i = 0; i < node->stated_count; i++) {
        const struct stated *stated = node->stated[i];
        if (!resource_is_opinion(&stated->s) &&
            (!worst || resource_is_worse(&stated->s, &worst->s)))
            worst = stated;
    }
    return worst;
}

/* What is bad is so since the first that states it; up since the last that was not. */
static int64_t stored_since(const struct node *node, const struct stated *own)
{
    int64_t since_ns = own->s.stored_ns;
    for (uint32_t i = 0; i < node->stated_count; i++) {
        const struct resource_statement *s = &node->stated[i]->s;
        if (resource_is_opinion(s) || s->health != own->s.health)
            continue;
        bool is_it = s->health == RESOURCE_UP ? s->stored_ns > since_ns
                                              : s->stored_ns < since_ns;
        if (is_it)
            since_ns = s->stored_ns;
    }
    return since_ns;
}

/* makes: what another component, by its health, makes of this one. */
static void effect_worsen(struct effect *effect, const struct node *of,
                          enum resource_health makes)
{
    if (!of->effect.by)
        return;
    /* It may have been worse until then. */
    if (makes == RESOURCE_UP && of->effect.health <= RESOURCE_UNKNOWN &&
        effect->health == RESOURCE_UP && effect->by &&
        effect->since_ns < of->effect.since_ns)
        effect->since_ns = of->effect.since_ns;
    if (makes <= RESOURCE_UP || makes < effect->health ||
        (makes == effect->health && effect->by &&
         effect->since_ns <= of->effect.since_ns))
        return;
    *effect = of->effect;
    effect->health = makes;
}

/* Of a part that was up nothing is known while its host is silent.  It is what presence
 * states of the host, not the host's effect, which is made of its parts. */
static void silence_of_host(const struct resource_table *table, const struct node *part,
                            struct effect *effect)
{
    const struct node *host = part;
    if (part->whole == NO_NODE || !effect->by || effect->health != RESOURCE_UP)
        return;
    while (host->whole != NO_NODE)
        host = &table->nodes[host->whole];
    struct stated **stated = stated_find(host, SPAN(RESOURCE_SOURCE_PRESENCE));
    if (!stated || (*stated)->s.health != RESOURCE_UNKNOWN)
        return;
    *effect = (struct effect){ .health = RESOURCE_UNKNOWN,
                               .since_ns = (*stated)->s.stored_ns,
                               .cause = (uint32_t)(host - table->nodes),
                               .by = *stated };
}

static void effect_make(const struct resource_table *table, uint32_t at,
                        struct effect *ret)
{
    const struct node *node = &table->nodes[at];
    const struct stated *own = own_decisive(node);
    *ret = (struct effect){ .health = own ? own->s.health : RESOURCE_UNKNOWN,
                            .since_ns = own ? stored_since(node, own) : 0,
                            .cause = at,
                            .by = own };
    silence_of_host(table, node, ret);
    for (uint32_t p = node->first_part; p != NO_NODE; p = table->nodes[p].next_part)
        effect_worsen(
            ret, &table->nodes[p],
            resource_of_part(table->nodes[p].effect.health, table->nodes[p].down));
    if (node->enclosure == NO_NODE)
        return;
    const struct node *enclosure = &table->nodes[node->enclosure];
    effect_worsen(ret, enclosure,
                  resource_of_enclosure(
                      enclosure->effect.health,
                      table->rules->enclosures[enclosure->enclosure_rule].down));
}

/* ---- where something changed ---- */

static void change_note(struct resource_table *table, const struct node *node,
                        enum resource_health from, int64_t now_ns)
{
    struct resource_view view;
    node_view(table, node, &view);
    const struct resource_change change = { .t_ns = now_ns,
                                            .component = view.component,
                                            .reason = view.reason,
                                            .source = view.source,
                                            .by = view.by,
                                            .from = from,
                                            .to = view.health };
    changes_add(&table->changes, &change);
}

/* What is still so is so since before, also where another source states it now. */
static void effect_set(struct resource_table *table, uint32_t at, int64_t now_ns)
{
    struct node *node = &table->nodes[at];
    struct effect before = node->effect;
    effect_make(table, at, &node->effect);
    bool has_changed = node->effect.health != before.health;
    if (!table->is_fresh && node->effect.by)
        node->effect.since_ns = has_changed || !before.by ? now_ns : before.since_ns;
    if (has_changed && !table->is_fresh)
        change_note(table, node, before.health, now_ns);
}

static void members_update(struct resource_table *table, uint32_t rule_index,
                           int64_t now_ns)
{
    const struct enclosure_rule *rule = &table->rules->enclosures[rule_index];
    for (size_t i = 0; i < hostset_count(rule->members.names); i++) {
        uint32_t member = node_of_host(table, &rule->members, i);
        if (member != NO_NODE)
            node_update(table, member, now_ns);
    }
}

static bool effect_is(const struct effect *a, const struct effect *b)
{
    return a->health == b->health && a->since_ns == b->since_ns &&
           a->cause == b->cause && a->by == b->by;
}

/* Parts go up to their host, enclosures down to their members, never in a circle.  What
 * is as before makes nothing else of others; a statement that was replaced is not as
 * before, for both are in memory. */
void node_update(struct resource_table *table, uint32_t at, int64_t now_ns)
{
    const struct node *node = &table->nodes[at];
    struct effect before = node->effect;
    effect_set(table, at, now_ns);
    if (effect_is(&before, &node->effect))
        return;
    if (node->whole != NO_NODE)
        node_update(table, node->whole, now_ns);
    if (node->enclosure_rule != NO_NODE)
        members_update(table, node->enclosure_rule, now_ns);
}

static void parts_update(struct resource_table *table, uint32_t at, int64_t now_ns)
{
    for (uint32_t p = table->nodes[at].first_part; p != NO_NODE;
         p = table->nodes[p].next_part) {
        parts_update(table, p, now_ns);
        effect_set(table, p, now_ns);
    }
}

void host_update(struct resource_table *table, uint32_t at, int64_t now_ns)
{
    parts_update(table, at, now_ns);
    node_update(table, at, now_ns);
}

void all_update(struct resource_table *table, int64_t now_ns)
{
    table->is_fresh = true;
    for (uint32_t i = 0; i < table->node_count; i++)
        if (table->nodes[i].whole == NO_NODE)
            host_update(table, i, now_ns);
    table->is_fresh = false;
}
