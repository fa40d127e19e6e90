/* SPDX-License-Identifier: Apache-2.0 */
/* health_history - how file systems' targets were over a window. */
#include "analysis/weather/health_history.h"

#include "base/hashmap.h"
#include "base/span.h"
#include "source/health/health.h"

#include <string.h>

#define BLOCKS_MAX ((size_t)1000000)

struct blocks {
    struct health_block *items; /* in the order of time */
    size_t count, capacity;
};

struct reading {
    struct health_history *h;
    struct hashmap servers; /* target -> its server's name, in h's arena */
    size_t capacity;
};

static int block_add(struct blocks *blocks, const struct health_block *block)
{
    if (blocks->count == blocks->capacity) {
        size_t capacity = blocks->capacity ? 2 * blocks->capacity : 64;
        struct health_block *more =
            capacity > BLOCKS_MAX ? NULL
                                  : reallocarray(blocks->items, capacity, sizeof *more);
        if (!more)
            return -ENOMEM;
        blocks->items = more;
        blocks->capacity = capacity;
    }
    blocks->items[blocks->count++] = *block;
    return 0;
}

/* Of each text the last block before the window, and all in it. */
static int blocks_gather(struct span text, int64_t from_ns, int64_t to_ns,
                         int64_t age_max_ns, struct blocks *ret)
{
    struct health_blocks blocks;
    struct health_block block, before = { 0 };
    int rc = 0;
    health_blocks_init(&blocks, text);
    while (rc == 0 && health_blocks_next(&blocks, &block)) {
        if (!block.has_time || block.t_ns >= to_ns || from_ns - block.t_ns > age_max_ns)
            continue;
        if (block.t_ns > from_ns)
            rc = block_add(ret, &block);
        else if (!before.has_time || block.t_ns >= before.t_ns)
            before = block;
    }
    return rc == 0 && before.has_time ? block_add(ret, &before) : rc;
}

static int block_order(const void *a, const void *b)
{
    const struct health_block *x = a;
    const struct health_block *y = b;
    return (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

static int move_add(struct reading *r, const struct health_target *target,
                    const char *from, const char *to)
{
    struct health_history *h = r->h;
    if (h->move_count == HEALTH_MOVES_MAX) {
        h->moves_left_out++;
        return 0;
    }
    if (h->move_count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 16;
        struct health_move *more = arena_alloc(&h->arena, r->capacity * sizeof *more);
        if (!more)
            return -ENOMEM;
        if (h->move_count > 0)
            memcpy(more, h->moves, h->move_count * sizeof *more);
        h->moves = more;
    }
    const char *name = arena_dup(&h->arena, target->name);
    if (!name)
        return -ENOMEM;
    h->moves[h->move_count++] =
        (struct health_move){ name, from, to, target->server_t_ns };
    return 0;
}

static bool has_servers(const struct health_sample *sample)
{
    for (size_t i = 0; i < sample->count; i++)
        if (sample->targets[i].has & HEALTH_SERVER)
            return true;
    return false;
}

static int servers_follow(struct reading *r, const struct health_sample *sample)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sample->count; i++) {
        const struct health_target *target = &sample->targets[i];
        if (!(target->has & HEALTH_SERVER) || (target->has & HEALTH_SERVER_INACTIVE))
            continue;
        uintptr_t *known = hashmap_put(&r->servers, target->name, NULL);
        if (!known)
            return -ENOMEM;
        const char *before = (const char *)*known;
        if (before && span_is(target->server, before))
            continue;
        const char *now = arena_dup(&r->h->arena, target->server);
        if (!now)
            return -ENOMEM;
        *known = (uintptr_t)now;
        if (before)
            rc = move_add(r, target, before, now);
    }
    return rc;
}

/* ---- how it was at the end ---- */

static int full_order(const void *a, const void *b)
{
    const struct health_full *x = a;
    const struct health_full *y = b;
    if (x->pct != y->pct)
        return x->pct > y->pct ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int fullness_take(struct health_history *h, const struct health_sample *sample)
{
    h->full = arena_alloc(&h->arena, (sample->count + 1) * sizeof *h->full);
    if (!h->full)
        return -ENOMEM;
    for (size_t i = 0; i < sample->count; i++) {
        const struct health_target *t = &sample->targets[i];
        if (!(t->has & HEALTH_SPACE) || t->total_kib == 0)
            continue;
        const char *name = arena_dup(&h->arena, t->name);
        if (!name)
            return -ENOMEM;
        h->full[h->full_count++] = (struct health_full){
            name, 100.0 * (double)t->used_kib / (double)t->total_kib, t->space_t_ns
        };
    }
    if (h->full_count > 1)
        qsort(h->full, h->full_count, sizeof *h->full, full_order);
    return 0;
}

static int servers_of_fs(struct health_history *h, const struct health_sample *sample,
                         struct span fs)
{
    AUTO(health_failover_done) struct health_failover found = { 0 };
    int rc = health_failover(sample, fs, &found);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    const char *name = arena_dup(&h->arena, fs);
    struct health_server_now *all = arena_alloc(
        &h->arena, (h->server_count + found.server_count + 1) * sizeof *all);
    if (!name || !all)
        return -ENOMEM;
    if (h->server_count > 0)
        memcpy(all, h->servers, h->server_count * sizeof *all);
    h->servers = all;
    for (size_t i = 0; i < found.server_count; i++) {
        const struct health_server *server = &found.servers[i];
        if (server->load == HEALTH_LOAD_NORMAL)
            continue;
        const char *nid = arena_dup(&h->arena, server->nid);
        if (!nid)
            return -ENOMEM;
        all[h->server_count++] =
            (struct health_server_now){ name, nid, server->target_count, found.mode };
    }
    return 0;
}

/* Later readings come first into the last sample: what is said twice holds as said
 * first. */
static int end_take(struct health_history *h, const struct blocks *blocks)
{
    AUTO(health_sample_done) struct health_sample sample;
    size_t cursor = 0;
    struct span fs, mount;
    int rc = 0;
    health_sample_init(&sample);
    for (size_t i = blocks->count; rc == 0 && i-- > 0;)
        rc = health_sample_add(&sample, &blocks->items[i], NULL, NULL);
    if (rc == 0)
        rc = fullness_take(h, &sample);
    while (rc == 0 && health_sample_next_fs(&sample, &cursor, &fs, &mount))
        rc = servers_of_fs(h, &sample, fs);
    return rc;
}

static int history_make(struct reading *r, const struct blocks *blocks)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < blocks->count; i++) {
        AUTO(health_sample_done) struct health_sample sample;
        health_sample_init(&sample);
        rc = health_sample_add(&sample, &blocks->items[i], NULL, NULL);
        r->h->server_readings += has_servers(&sample);
        if (rc == 0)
            rc = servers_follow(r, &sample);
        r->h->readings++;
    }
    return rc < 0 ? rc : end_take(r->h, blocks);
}

int health_history_read(const struct span *texts, size_t count, int64_t from_ns,
                        int64_t to_ns, int64_t age_max_ns, struct health_history *ret)
{
    struct health_history h = { 0 };
    struct reading r = { .h = &h };
    struct blocks blocks = { 0 };
    int rc = 0;
    arena_init(&h.arena, 0);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = blocks_gather(texts[i], from_ns, to_ns, age_max_ns, &blocks);
    if (blocks.count > 1)
        qsort(blocks.items, blocks.count, sizeof *blocks.items, block_order);
    if (rc == 0)
        rc = history_make(&r, &blocks);
    hashmap_done(&r.servers);
    free(blocks.items);
    if (rc < 0)
        health_history_done(&h);
    else
        *ret = h;
    return rc;
}

int health_history_of_readings(const struct table *table, int64_t from_ns,
                               int64_t to_ns, int64_t age_max_ns,
                               struct health_history *ret)
{
    struct strbuf texts[HEALTH_KIND_COUNT] = { 0 };
    struct span spans[HEALTH_KIND_COUNT];
    int rc = 0;
    for (unsigned kind = 0; kind < HEALTH_KIND_COUNT; kind++) {
        if (rc == 0)
            rc = health_readings_text(table, (enum health_kind)kind, from_ns,
                                      &texts[kind]);
        spans[kind] = strbuf_span(&texts[kind]);
    }
    if (rc == 0)
        rc = health_history_read(spans, HEALTH_KIND_COUNT, from_ns, to_ns, age_max_ns,
                                 ret);
    for (unsigned kind = 0; kind < HEALTH_KIND_COUNT; kind++)
        strbuf_done(&texts[kind]);
    return rc;
}

void health_history_shift(struct health_history *history, int64_t offset_ns)
{
    for (size_t i = 0; i < history->full_count; i++)
        history->full[i].t_ns += offset_ns;
    for (size_t i = 0; i < history->move_count; i++)
        history->moves[i].t_ns += offset_ns;
}

void health_history_done(struct health_history *history)
{
    arena_done(&history->arena);
    *history = (struct health_history){ 0 };
}
