/* SPDX-License-Identifier: Apache-2.0 */
/* table_admit - which statements of a batch have a slot, before they are stored.
 *
 * Slots that one line of a batch has are not free for those that follow it: what is
 * stored is what memory has, after a restart, too.
 */
#include "resource/table_admit.h"

#include "base/span.h"
#include "resource/presence.h"
#include "resource/table_private.h"

#include <errno.h>

#define PARTS_LEVELS_MAX 4 /* a component's path has no more levels */

/* Of one component, with those of the batch. */
struct source_slots {
    uint32_t opinions, systems, below;
    bool is_known;
};

void resource_admission_begin(struct resource_admission *a,
                              struct resource_table *table)
{
    *a = (struct resource_admission){ .table = table };
}

void resource_admission_done(struct resource_admission *a)
{
    hashmap_done(&a->components);
    hashmap_done(&a->sources);
    free(a->slots);
    free(a->noted);
}

/* ---- slots ---- */

/* Administrators and presence have a slot of their own: it is not counted. */
static bool has_own_slot(struct span source)
{
    return span_is(source, "admin") || span_is(source, RESOURCE_SOURCE_PRESENCE);
}

static void slots_add(struct source_slots *slots, struct span source)
{
    if (resource_source_kind(source, NULL) == RESOURCE_SOURCE_USER)
        slots->opinions++;
    else if (!has_own_slot(source))
        slots->systems++;
}

static struct source_slots slots_of(struct resource_table *table, struct span component)
{
    struct source_slots slots = { 0 };
    (void)pthread_rwlock_rdlock(&table->lock);
    uint32_t at = node_find(table, component);
    if (at != NO_NODE) {
        const struct node *node = &table->nodes[at];
        slots.is_known = true;
        slots.below = node->below_count;
        for (uint32_t i = 0; i < node->stated_count; i++)
            slots_add(&slots, node->stated[i]->s.source);
    }
    (void)pthread_rwlock_unlock(&table->lock);
    return slots;
}

/* Valid until the next call. */
static struct source_slots *slots_get(struct resource_admission *a,
                                      struct span component)
{
    uintptr_t *index = hashmap_put(&a->components, component, NULL);
    if (!index)
        return NULL;
    if (*index)
        return &a->slots[*index - 1];
    if (a->slots_count == a->slots_capacity) {
        size_t capacity = a->slots_capacity ? 2 * a->slots_capacity : 64;
        struct source_slots *grown = reallocarray(a->slots, capacity, sizeof *grown);
        if (!grown)
            return NULL;
        a->slots = grown;
        a->slots_capacity = capacity;
    }
    a->slots[a->slots_count] = slots_of(a->table, component);
    *index = ++a->slots_count;
    return &a->slots[a->slots_count - 1];
}

static const char *slots_refusal(const struct source_slots *slots,
                                 const struct resource_statement *s)
{
    if (has_own_slot(s->source))
        return NULL;
    if (resource_source_kind(s->source, NULL) == RESOURCE_SOURCE_USER)
        return slots->opinions < RESOURCE_OPINIONS_MAX
                   ? NULL
                   : "as many users as can have stated something about it";
    /* Some slots are for what is not of nodes, which cannot fill them. */
    uint32_t max = s->is_of_agent ? RESOURCE_OF_AGENTS_MAX
                                  : RESOURCE_SOURCES_MAX - RESOURCE_OPINIONS_MAX - 2;
    return slots->systems < max
               ? NULL
               : "as many sources as can have stated something about it";
}

/* ---- components ---- */

/* The host of a path, and what is below it: "alex/a1", "alex/a1/dimm:3". */
static size_t levels_of(struct span path, struct span levels[PARTS_LEVELS_MAX])
{
    size_t count = 0, slashes = 0;
    for (size_t i = 0; i <= path.size && count < PARTS_LEVELS_MAX; i++) {
        if (i < path.size && path.data[i] != '/')
            continue;
        if (slashes++ > 0)
            levels[count++] = (struct span){ path.data, i };
    }
    return count;
}

static int components_admit(struct resource_admission *a, struct span path,
                            bool is_of_agent, const char **ret_reason)
{
    struct span levels[PARTS_LEVELS_MAX];
    size_t count = levels_of(path, levels), made = 0, parts = 0;
    for (size_t i = 0; i < count; i++) {
        const struct source_slots *slots = slots_get(a, levels[i]);
        if (!slots)
            return -ENOMEM;
        made += !slots->is_known;
        parts += !slots->is_known && i > 0;
    }
    struct source_slots *host = count ? slots_get(a, levels[0]) : NULL;
    if (!host)
        return -ENOMEM;
    if (parts > 0 && host->below + parts > RESOURCE_PARTS_MAX)
        *ret_reason = "its host has as many parts as can be";
    else if (a->component_count + made >
             (is_of_agent && made ? RESOURCES_OF_AGENTS_MAX : RESOURCES_MAX))
        *ret_reason = "there are as many components as can be";
    if (*ret_reason)
        return 0;
    host->below += (uint32_t)parts;
    a->component_count += made;
    for (size_t i = 0; i < count; i++)
        slots_get(a, levels[i])->is_known = true; /* it is there: see above */
    return 0;
}

/* ---- statements ---- */

static int source_key(struct strbuf *key, const struct resource_statement *s)
{
    strbuf_add_span(key, s->component);
    strbuf_addc(key, ' '); /* neither has one */
    strbuf_add_span(key, s->source);
    return strbuf_error(key);
}

bool resource_admission_find(struct resource_admission *a,
                             const struct resource_statement *s,
                             struct resource_statement *ret)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    const uintptr_t *index =
        source_key(&key, s) < 0 ? NULL : hashmap_get(&a->sources, strbuf_span(&key));
    if (!index)
        return resource_table_find(a->table, s->component, s->source, ret);
    *ret = a->noted[*index - 1];
    return true;
}

static int admission_refusal(struct resource_admission *a,
                             const struct resource_statement *s,
                             const char **ret_reason)
{
    struct resource_statement before;
    if (resource_admission_find(a, s, &before))
        return 0;
    if (a->component_count == 0)
        a->component_count = resource_table_size(a->table);
    struct source_slots *slots = slots_get(a, s->component);
    if (!slots)
        return -ENOMEM;
    if (!slots->is_known &&
        resource_source_kind(s->source, NULL) == RESOURCE_SOURCE_USER)
        *ret_reason = "no such component is known";
    else
        *ret_reason = slots_refusal(slots, s);
    int rc =
        *ret_reason ? 0 : components_admit(a, s->component, s->is_of_agent, ret_reason);
    slots = rc < 0 || *ret_reason ? NULL : slots_get(a, s->component);
    if (slots)
        slots_add(slots, s->source);
    return rc;
}

int resource_admission_of(struct resource_admission *a,
                          const struct resource_statement *s, const char **ret_reason)
{
    *ret_reason = resource_statement_check(s);
    int rc = *ret_reason ? 0 : admission_refusal(a, s, ret_reason);
    if (*ret_reason)
        atomic_fetch_add(&a->table->refused, 1);
    return rc;
}

int resource_admission_note(struct resource_admission *a,
                            const struct resource_statement *s)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    if (a->noted_count == a->noted_capacity) {
        size_t capacity = a->noted_capacity ? 2 * a->noted_capacity : 64;
        struct resource_statement *grown =
            reallocarray(a->noted, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        a->noted = grown;
        a->noted_capacity = capacity;
    }
    uintptr_t *index = source_key(&key, s) < 0
                           ? NULL
                           : hashmap_put(&a->sources, strbuf_span(&key), NULL);
    if (!index)
        return -ENOMEM;
    a->noted[a->noted_count++] = *s;
    *index = a->noted_count;
    return 0;
}

const char *resource_table_admits(struct resource_table *table,
                                  const struct resource_statement *s)
{
    AUTO(resource_admission_done) struct resource_admission a;
    const char *reason;
    resource_admission_begin(&a, table);
    return resource_admission_of(&a, s, &reason) < 0 ? "out of memory" : reason;
}
