/* SPDX-License-Identifier: Apache-2.0 */
/* changes - the last changes of the health of components, for those who follow them. */
#include "base/number.h"
#include "base/span.h"
#include "resource/table_private.h"

#include <errno.h>

void changes_begin(struct changes *changes, int64_t now_ns)
{
    /* Neither two starts within a second nor a clock that was set back make an old id
     * one of this run. */
    changes->run = ((uint64_t)(now_ns / NS_PER_S) << 20 | (hashmap_seed() & 0xfffff));
}

void changes_done(struct changes *changes)
{
    for (size_t i = 0; i < RESOURCE_CHANGES_MAX; i++)
        free(changes->ring[i]);
}

static struct span text_put(char **at, struct span text)
{
    struct span copy = { *at, text.size };
    if (text.size > 0)
        memcpy(*at, text.data, text.size);
    *at += text.size;
    return copy;
}

void changes_add(struct changes *changes, const struct resource_change *change)
{
    uint64_t sequence = ++changes->last;
    struct change **slot = &changes->ring[sequence % RESOURCE_CHANGES_MAX];
    struct change *made =
        malloc(sizeof *made + change->component.size + change->reason.size +
               change->source.size + change->by.size);
    if (*slot)
        changes->lost = sequence - RESOURCE_CHANGES_MAX;
    free(*slot);
    *slot = made;
    if (!made) {
        changes->lost = sequence; /* readers see one place of loss */
        return;
    }
    char *at = made->texts;
    made->c = *change;
    made->c.id = (struct resource_change_id){ changes->run, sequence };
    made->c.component = text_put(&at, change->component);
    made->c.reason = text_put(&at, change->reason);
    made->c.source = text_put(&at, change->source);
    made->c.by = text_put(&at, change->by);
}

int resource_change_id_parse(struct span text, struct resource_change_id *ret)
{
    struct span began;
    if (!text.data || !memchr(text.data, '.', text.size))
        return -EINVAL;
    (void)span_cut(&text, '.', &began);
    int rc = number_parse_u64(began, &ret->run);
    if (rc == 0)
        rc = number_parse_u64(text, &ret->sequence);
    return rc < 0 ? -EINVAL : 0;
}

static bool is_of_this_run(const struct changes *changes, struct resource_change_id id)
{
    return id.run == changes->run && id.sequence <= changes->last;
}

bool resource_table_has_changes(struct resource_table *table,
                                struct resource_change_id after)
{
    const struct changes *changes = &table->changes;
    (void)pthread_rwlock_rdlock(&table->lock);
    bool has = !is_of_this_run(changes, after) || after.sequence < changes->last;
    (void)pthread_rwlock_unlock(&table->lock);
    return has;
}

static int changes_each(const struct changes *changes, uint64_t first, size_t limit,
                        resource_change_fn *fn, void *arg, uint64_t *ret_last)
{
    int rc = 0;
    size_t count = 0;
    for (uint64_t at = first; at <= changes->last && count < limit && rc == 0; at++) {
        const struct change *change = changes->ring[at % RESOURCE_CHANGES_MAX];
        *ret_last = at;
        if (!change)
            continue;
        rc = fn(arg, &change->c);
        count++;
    }
    return rc < 0 ? rc : 0;
}

static int changes_read(const struct changes *changes,
                        struct resource_changes_query *query, resource_change_fn *fn,
                        void *arg)
{
    struct resource_change_id after = query->after;
    bool is_newest = after.run == 0 && after.sequence == 0;
    bool is_ours = is_of_this_run(changes, after);
    uint64_t first = is_ours ? after.sequence + 1 : 1;
    query->is_lost = !is_newest && (!is_ours || first <= changes->lost);
    if (first <= changes->lost)
        first = changes->lost + 1;
    if (is_newest && changes->last >= query->limit &&
        changes->last - query->limit + 1 > first)
        first = changes->last - query->limit + 1;
    uint64_t last = first - 1;
    int rc = changes_each(changes, first, query->limit, fn, arg, &last);
    query->after = (struct resource_change_id){ changes->run, last };
    return rc;
}

int resource_table_changes(struct resource_table *table,
                           struct resource_changes_query *query, resource_change_fn *fn,
                           void *arg)
{
    (void)pthread_rwlock_rdlock(&table->lock);
    int rc = table->is_loaded ? changes_read(&table->changes, query, fn, arg) : -EAGAIN;
    (void)pthread_rwlock_unlock(&table->lock);
    return rc;
}
