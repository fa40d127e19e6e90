/* SPDX-License-Identifier: Apache-2.0 */
/* metric - the table of metrics. */
#include "store/tree/metric.h"

#include "base/hashmap.h"
#include "base/span.h"

#include <errno.h>
#include <stdatomic.h>
#include <xxhash.h>

#define SLOTS (2 * METRICS_MAX)

/* One that was declared again stands behind the newer, for readers that still have it.
 */
struct entry {
    struct metric metric;
    struct entry *older;
    char text[];
};

struct metric_table {
    pthread_mutex_t lock; /* of metric_declare() */
    _Atomic uint32_t count;
    _Atomic(struct entry *) entries[METRICS_MAX];
    _Atomic uint32_t slots[SLOTS]; /* id + 1 by hash of the name; 0: free */
};

int metric_table_new(struct metric_table **ret)
{
    struct metric_table *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    (void)pthread_mutex_init(&table->lock, NULL);
    *ret = table;
    return 0;
}

void metric_table_free(struct metric_table *table)
{
    if (!table)
        return;
    for (uint32_t id = 0; id < atomic_load(&table->count); id++) {
        struct entry *entry = atomic_load(&table->entries[id]);
        while (entry) {
            struct entry *older = entry->older;
            free(entry);
            entry = older;
        }
    }
    (void)pthread_mutex_destroy(&table->lock);
    free(table);
}

/* The slot of a name, or the free one where it would stand. */
static uint32_t find_slot(const struct metric_table *table, struct span name)
{
    uint64_t hash = XXH3_64bits_withSeed(name.data, name.size, hashmap_seed());
    for (uint32_t at = hash % SLOTS;; at = (at + 1) % SLOTS) {
        uint32_t id = atomic_load_explicit(&table->slots[at], memory_order_acquire);
        if (id == 0 || span_eq(atomic_load(&table->entries[id - 1])->metric.name, name))
            return at;
    }
}

const struct metric *metric_find(const struct metric_table *table, struct span name)
{
    uint32_t id = atomic_load(&table->slots[find_slot(table, name)]);
    return id == 0 ? NULL : &atomic_load(&table->entries[id - 1])->metric;
}

uint32_t metric_count(const struct metric_table *table)
{
    return atomic_load(&table->count);
}

const struct metric *metric_at(const struct metric_table *table, uint32_t id)
{
    return id < metric_count(table) ? &atomic_load(&table->entries[id])->metric : NULL;
}

static struct entry *entry_new(const struct metric *metric)
{
    size_t name_size = metric->name.size, unit_size = metric->unit.size;
    struct entry *entry = calloc(1, sizeof *entry + name_size + unit_size);
    if (!entry)
        return NULL;
    memcpy(entry->text, metric->name.data, name_size);
    if (unit_size > 0)
        memcpy(entry->text + name_size, metric->unit.data, unit_size);
    entry->metric = *metric;
    entry->metric.name = (struct span){ entry->text, name_size };
    entry->metric.unit = (struct span){ entry->text + name_size, unit_size };
    return entry;
}

static bool is_good(const struct metric *metric)
{
    for (size_t i = 0; i < metric->name.size; i++) {
        unsigned char c = (unsigned char)metric->name.data[i];
        if (c < 0x20 || c == 0x7F)
            return false;
    }
    return metric->name.size > 0 && metric->name.size <= METRIC_NAME_MAX &&
           metric->unit.size <= METRIC_UNIT_MAX && metric->step_ns >= 0 &&
           metric->kind < METRIC_KIND_COUNT && metric->aggregation < AGGREGATION_COUNT;
}

int metric_declare(struct metric_table *table, const struct metric *metric,
                   const struct metric **ret)
{
    if (!is_good(metric))
        return -EINVAL;
    struct entry *entry = entry_new(metric);
    if (!entry)
        return -ENOMEM;
    LOCKED(&table->lock);
    uint32_t at = find_slot(table, metric->name);
    uint32_t known = atomic_load(&table->slots[at]);
    uint32_t id = known ? known - 1 : atomic_load(&table->count);
    if (id == METRICS_MAX) {
        free(entry);
        return -ENOSPC;
    }
    entry->metric.id = id;
    entry->older = known ? atomic_load(&table->entries[id]) : NULL;
    atomic_store(&table->entries[id], entry);
    if (!known) {
        /* In this order: what metric_at() shows, metric_find() finds. */
        atomic_store_explicit(&table->slots[at], id + 1, memory_order_release);
        atomic_store(&table->count, id + 1);
    }
    *ret = &entry->metric;
    return 0;
}
