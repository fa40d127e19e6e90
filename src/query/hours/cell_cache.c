/* SPDX-License-Identifier: Apache-2.0 */
/* cell_cache - the cells of clean hours in memory. */
#include "query/hours/cell_cache.h"

#include "base/hashmap.h"
#include "base/span.h"
#include "query/hours/cell_block.h"

#include <pthread.h>

/* Blocks that one of so many readings before used are not dropped for others: or two
 * that do not fit beside each other would read everything each time. */
#define READINGS_RECENT 8
/* So many hours are read from the database at once: each reading sorts its cells. */
#define FILL_HOURS_MAX 48
#define BLOCK_BYTES_FIRST 4096 /* assumed of a block, before one is known */

struct cell_cache {
    pthread_mutex_t lock;
    size_t bytes_max, bytes;
    struct cell_block **blocks; /* ordered by (kind, hour) */
    size_t block_count, block_capacity;
    struct hashmap by_sid; /* sid -> cached_series */
    uint32_t *free_slots;  /* as many positions as slots */
    size_t slot_count, slot_capacity, free_count;
    uint64_t readings, generation, hits, misses;
};

int cell_cache_new(size_t bytes_max, struct cell_cache **ret)
{
    struct cell_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return -ENOMEM;
    cache->bytes_max = bytes_max;
    (void)pthread_mutex_init(&cache->lock, NULL);
    *ret = cache;
    return 0;
}

/* ---- series, under the lock ---- */

static struct span cached_key(const int64_t *sid)
{
    return (struct span){ (const char *)sid, sizeof *sid };
}

static int find_free_slot(struct cell_cache *cache, uint32_t *ret)
{
    if (cache->free_count > 0) {
        *ret = cache->free_slots[--cache->free_count];
        return 0;
    }
    if (cache->slot_count == cache->slot_capacity) {
        size_t capacity = cache->slot_capacity ? cache->slot_capacity * 2 : 256;
        uint32_t *grown = realloc(cache->free_slots, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        cache->free_slots = grown;
        cache->slot_capacity = capacity;
    }
    *ret = (uint32_t)cache->slot_count++;
    return 0;
}

static void cached_series_release(struct cell_cache *cache, struct cached_series *s)
{
    if (--s->refs > 0)
        return;
    (void)hashmap_remove(&cache->by_sid, cached_key(&s->series.sid));
    cache->free_slots[cache->free_count++] = s->slot;
    cache->bytes -= s->bytes;
    free(s);
}

static struct cached_series *cached_series_new(struct cell_cache *cache,
                                               const struct series *series)
{
    size_t size = sizeof(struct cached_series) + series_text_size(series) + 1;
    AUTO_FREE struct cached_series *s = calloc(1, size);
    if (!s || find_free_slot(cache, &s->slot) < 0)
        return NULL;
    series_copy_to(series, &s->series, s->texts);
    s->bytes = size;
    uintptr_t *entry = hashmap_put(&cache->by_sid, cached_key(&s->series.sid), NULL);
    if (!entry) {
        cache->free_slots[cache->free_count++] = s->slot;
        return NULL;
    }
    *entry = (uintptr_t)s;
    cache->bytes += size;
    return TAKE(s);
}

static struct cached_series *cached_series_acquire(struct cell_cache *cache,
                                                   const struct series *series)
{
    LOCKED(&cache->lock);
    uintptr_t *entry = hashmap_get(&cache->by_sid, cached_key(&series->sid));
    struct cached_series *s =
        entry ? (struct cached_series *)*entry : cached_series_new(cache, series);
    if (s)
        s->refs++;
    return s;
}

/* ---- blocks, under the lock ---- */

static void block_release(struct cell_cache *cache, struct cell_block *block)
{
    if (!block || --block->refs > 0)
        return;
    for (size_t i = 0; i < block->count; i++)
        cached_series_release(cache, block->cells[i].series);
    cell_block_free(block);
}

/* Where the hour is, or would be. */
static size_t block_position(const struct cell_cache *cache, enum target_kind kind,
                             int64_t hour_ms)
{
    size_t first = 0, end = cache->block_count;
    while (first < end) {
        size_t middle = (first + end) / 2;
        const struct cell_block *b = cache->blocks[middle];
        if (b->kind < kind || (b->kind == kind && b->hour_ms < hour_ms))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static void drop_block(struct cell_cache *cache, size_t at)
{
    struct cell_block *block = cache->blocks[at];
    cache->block_count--;
    memmove(cache->blocks + at, cache->blocks + at + 1,
            (cache->block_count - at) * sizeof(struct cell_block *));
    cache->bytes -= block->bytes;
    block_release(cache, block);
}

/* The hour as this reading sees it, or NULL; an older one is of no more use. */
static struct cell_block *acquire_block(struct cell_cache *cache, enum target_kind kind,
                                        const struct cell_hour *hour)
{
    size_t at = block_position(cache, kind, hour->hour_ms);
    if (at == cache->block_count || cache->blocks[at]->kind != kind ||
        cache->blocks[at]->hour_ms != hour->hour_ms)
        return NULL;
    struct cell_block *block = cache->blocks[at];
    if (block->changes != hour->changes) {
        if (block->changes < hour->changes)
            drop_block(cache, at);
        return NULL;
    }
    block->used = cache->readings;
    block->refs++;
    return block;
}

/* Drop what was not used for long until size more fit; false: they do not. */
static bool evict_for(struct cell_cache *cache, size_t size)
{
    while (cache->bytes + size > cache->bytes_max) {
        size_t oldest = SIZE_MAX;
        for (size_t i = 0; i < cache->block_count; i++)
            if (oldest == SIZE_MAX ||
                cache->blocks[i]->used < cache->blocks[oldest]->used)
                oldest = i;
        if (oldest == SIZE_MAX ||
            cache->blocks[oldest]->used + READINGS_RECENT > cache->readings)
            return false;
        drop_block(cache, oldest);
    }
    return true;
}

/* false: there is no memory for it. */
static bool store_block(struct cell_cache *cache, struct cell_block *block)
{
    size_t at = block_position(cache, block->kind, block->hour_ms);
    if (at < cache->block_count && cache->blocks[at]->kind == block->kind &&
        cache->blocks[at]->hour_ms == block->hour_ms)
        return true; /* another reader was first */
    if (!evict_for(cache, block->bytes))
        return false;
    if (cache->block_count == cache->block_capacity) {
        size_t capacity = cache->block_capacity ? cache->block_capacity * 2 : 64;
        size_t size = capacity * sizeof(struct cell_block *);
        struct cell_block **grown = realloc(cache->blocks, size);
        if (!grown)
            return false;
        cache->blocks = grown;
        cache->block_capacity = capacity;
    }
    at = block_position(cache, block->kind, block->hour_ms); /* some were dropped */
    memmove(cache->blocks + at + 1, cache->blocks + at,
            (cache->block_count - at) * sizeof(struct cell_block *));
    cache->blocks[at] = block;
    cache->block_count++;
    cache->bytes += block->bytes;
    block->used = cache->readings;
    block->refs++;
    return true;
}

static void forget_blocks(struct cell_cache *cache)
{
    while (cache->block_count > 0)
        drop_block(cache, cache->block_count - 1);
}

void cell_cache_forget(struct cell_cache *cache)
{
    LOCKED(&cache->lock);
    cache->generation++;
    forget_blocks(cache);
}

void cell_cache_free(struct cell_cache *cache)
{
    if (!cache)
        return;
    forget_blocks(cache);
    hashmap_done(&cache->by_sid);
    free(cache->blocks);
    free(cache->free_slots);
    (void)pthread_mutex_destroy(&cache->lock);
    free(cache);
}

void cell_cache_get_stats(struct cell_cache *cache, struct cell_cache_stats *ret)
{
    LOCKED(&cache->lock);
    *ret = (struct cell_cache_stats){ .bytes = cache->bytes,
                                      .hours = cache->block_count,
                                      .series = cache->slot_count - cache->free_count,
                                      .hits = cache->hits,
                                      .misses = cache->misses };
}

/* ---- a reading ---- */

struct cell_reading {
    struct cell_cache *cache;
    const struct cell_walk *walk;
    struct cell_block **blocks; /* of each hour; NULL: not read yet */
    uint64_t generation;
};

static void cell_reading_done(struct cell_reading *r)
{
    if (!r->blocks)
        return;
    LOCKED(&r->cache->lock);
    for (size_t i = 0; i < r->walk->hour_count; i++)
        block_release(r->cache, r->blocks[i]);
    free(r->blocks);
}
DEFINE_AUTO_DONE(struct cell_reading, cell_reading_done);

/* What is there; false: what is missing will hardly fit. */
static bool acquire_blocks(struct cell_reading *r)
{
    struct cell_cache *cache = r->cache;
    size_t held = 0, missing = 0, all = 0;
    LOCKED(&cache->lock);
    cache->readings++;
    r->generation = cache->generation;
    for (size_t i = 0; i < r->walk->hour_count; i++) {
        r->blocks[i] = acquire_block(cache, r->walk->kind, &r->walk->hours[i]);
        if (r->blocks[i])
            held += r->blocks[i]->bytes;
        else
            missing++;
    }
    for (size_t i = 0; i < cache->block_count; i++)
        all += cache->blocks[i]->bytes;
    size_t usual = cache->block_count ? all / cache->block_count : BLOCK_BYTES_FIRST;
    cache->hits += r->walk->hour_count - missing;
    cache->misses += missing;
    return missing == 0 || held + missing * usual <= cache->bytes_max;
}

struct cell_fill {
    struct cell_reading *reading;
    size_t first, count; /* hours */
};

static int fill_cell(void *arg, const struct series *series, struct span server,
                     const struct increment *inc)
{
    const struct cell_fill *fill = arg;
    struct cell_reading *r = fill->reading;
    const struct cell_hour *hours = r->walk->hours + fill->first;
    int64_t hour_ms = rollup_hour_of(inc->t_ms);
    int64_t at = (hour_ms - hours[0].hour_ms) / ROLLUP_HOUR_MS;
    if (at < 0 || (size_t)at >= fill->count)
        return -EPROTO; /* not a cell of this hour */
    struct cached_series *s = cached_series_acquire(r->cache, series);
    if (!s)
        return -ENOMEM;
    int rc = cell_block_add(r->blocks[fill->first + (size_t)at], s, server, inc);
    if (rc < 0) {
        LOCKED(&r->cache->lock);
        cached_series_release(r->cache, s);
    }
    return rc;
}

static int fill_read(struct cell_fill *fill, struct err *err)
{
    const struct cell_walk *walk = fill->reading->walk;
    const struct cell_hour *hours = walk->hours + fill->first;
    for (size_t i = 0; i < fill->count; i++) {
        struct cell_block *block =
            cell_block_new(walk->kind, hours[i].hour_ms, hours[i].changes);
        if (!block)
            return -ENOMEM;
        fill->reading->blocks[fill->first + i] = block;
    }
    const struct cell_range range = {
        .kind = walk->kind,
        .from_ms = hours[0].hour_ms,
        .to_ms = hours[fill->count - 1].hour_ms + ROLLUP_HOUR_MS,
        .samples = UINT64_MAX,
        .sums = UINT64_MAX,
    };
    return history_walk_cells(walk->history, &range, NULL, fill_cell, fill, err);
}

/* 0: they are too large. */
static int fill_store(const struct cell_fill *fill)
{
    struct cell_reading *r = fill->reading;
    bool is_stored = true;
    LOCKED(&r->cache->lock);
    for (size_t i = 0; i < fill->count; i++) {
        struct cell_block *block = r->blocks[fill->first + i];
        cell_block_finish(block);
        if (is_stored && r->generation == r->cache->generation)
            is_stored = store_block(r->cache, block);
    }
    return is_stored;
}

/* Read what is missing, in runs of hours.  1: all is there. */
static int fill_missing(struct cell_reading *r, struct err *err)
{
    const struct cell_walk *walk = r->walk;
    int rc = 1;
    for (size_t i = 0, end; i < walk->hour_count && rc > 0; i = end) {
        end = i + 1;
        if (r->blocks[i])
            continue;
        while (end < walk->hour_count && end - i < FILL_HOURS_MAX && !r->blocks[end] &&
               walk->hours[end].hour_ms ==
                   walk->hours[end - 1].hour_ms + ROLLUP_HOUR_MS)
            end++;
        struct cell_fill fill = { r, i, end - i };
        rc = fill_read(&fill, err);
        if (rc >= 0)
            rc = fill_store(&fill);
    }
    return rc;
}

/* ---- by series ---- */

#define NO_CELL UINT32_MAX

struct cell_position {
    const struct cell_block *block;
    const struct cached_cell *cell;
    uint32_t next; /* of the same series; NO_CELL: the last */
};

struct cells_by_series {
    struct cell_position *positions;
    struct slot_cells {
        uint32_t first, last; /* NO_CELL: none */
        enum { UNDECIDED, LEFT_OUT, WANTED } is_wanted;
    } * slots;
    const struct cached_series **order; /* as they were found */
    size_t position_count, order_count;
};

static void cells_by_series_done(struct cells_by_series *by)
{
    free(by->positions);
    free(by->slots);
    free(by->order);
}
DEFINE_AUTO_DONE(struct cells_by_series, cells_by_series_done);

static int cells_by_series_init(struct cells_by_series *by, struct cell_reading *r)
{
    size_t cells = 0, slots;
    for (size_t i = 0; i < r->walk->hour_count; i++)
        cells += r->blocks[i]->count;
    {
        LOCKED(&r->cache->lock);
        slots = r->cache->slot_count;
    }
    by->positions = calloc(cells + 1, sizeof *by->positions);
    by->slots = calloc(slots + 1, sizeof *by->slots);
    by->order = calloc(slots + 1, sizeof(struct cached_series *));
    return by->positions && by->slots && by->order && cells < NO_CELL ? 0 : -ENOMEM;
}

static void list_cell(struct cells_by_series *by, const struct selection *sel,
                      const struct cell_block *block, const struct cached_cell *cell)
{
    struct slot_cells *slot = &by->slots[cell->series->slot];
    if (slot->is_wanted == UNDECIDED) {
        slot->is_wanted = selection_has(sel, &cell->series->series) ? WANTED : LEFT_OUT;
        slot->first = NO_CELL;
        if (slot->is_wanted == WANTED)
            by->order[by->order_count++] = cell->series;
    }
    if (slot->is_wanted == LEFT_OUT)
        return;
    uint32_t at = (uint32_t)by->position_count++;
    by->positions[at] = (struct cell_position){ block, cell, NO_CELL };
    if (slot->first == NO_CELL)
        slot->first = at;
    else
        by->positions[slot->last].next = at;
    slot->last = at;
}

static int compare_cached(const void *a, const void *b)
{
    const struct cached_series *const *x = a, *const *y = b;
    return ((*x)->series.sid > (*y)->series.sid) -
           ((*x)->series.sid < (*y)->series.sid);
}

static int give_series(const struct cells_by_series *by, const struct cell_walk *walk,
                       const struct cached_series *series)
{
    struct increment inc;
    int rc = 0;
    uint32_t at = by->slots[series->slot].first;
    for (; at != NO_CELL && rc >= 0; at = by->positions[at].next) {
        const struct cell_position *p = &by->positions[at];
        cell_block_get(p->block, p->cell, walk->samples, walk->sums, &inc);
        rc = walk->fn(walk->arg, &series->series,
                      span_of(p->block->servers[p->cell->server]), &inc);
    }
    return rc;
}

static int give_cells(struct cell_reading *r)
{
    AUTO(cells_by_series_done) struct cells_by_series by = { 0 };
    const struct cell_walk *walk = r->walk;
    int rc = cells_by_series_init(&by, r);
    for (size_t i = 0; rc == 0 && i < walk->hour_count; i++)
        for (size_t k = 0; k < r->blocks[i]->count; k++) {
            const struct cached_cell *cell = &r->blocks[i]->cells[k];
            if (cached_cell_has(cell, walk->samples, walk->sums))
                list_cell(&by, walk->sel, r->blocks[i], cell);
        }
    if (rc == 0 && by.order_count > 1)
        qsort(by.order, by.order_count, sizeof(struct cached_series *), compare_cached);
    for (size_t i = 0; rc >= 0 && i < by.order_count; i++)
        rc = give_series(&by, walk, by.order[i]);
    return rc < 0 ? rc : 0;
}

int cell_cache_walk(struct cell_cache *cache, const struct cell_walk *walk,
                    struct err *err)
{
    AUTO(cell_reading_done) struct cell_reading r = { .cache = cache, .walk = walk };
    r.blocks = calloc(walk->hour_count + 1, sizeof(struct cell_block *));
    if (!r.blocks)
        return -ENOMEM;
    int rc = acquire_blocks(&r) ? fill_missing(&r, err) : 0;
    if (rc > 0)
        rc = give_cells(&r);
    else
        return rc;
    return rc < 0 ? rc : 1;
}
