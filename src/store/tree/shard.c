/* SPDX-License-Identifier: Apache-2.0 */
/* shard - the part of the store that one mutex guards. */
#include "store/tree/shard.h"

#include <errno.h>
#include <time.h>
#include <xxhash.h>

#define RETAIN_AT_ONCE 256 /* series under one lock */
#define LET_IN_MAX 50

struct shard {
    pthread_mutex_t lock;
    _Atomic unsigned waiting; /* for the lock */
    struct shard_options options;
    struct epoch own_epoch;
    struct epoch *epoch;
    _Atomic size_t own_total;
    _Atomic size_t *series_total;
    struct memory memory;
    struct level_tree tree;
    struct series_counts counts;
    uint64_t released_slots;
    uint64_t applied; /* record of the log */
};

int shard_new(const struct shard_options *options, struct shard **ret)
{
    /* The readers' lines of the epoch want their alignment. */
    struct shard *shard = aligned_alloc(alignof(struct shard), sizeof *shard);
    if (!shard)
        return -ENOMEM;
    memset(shard, 0, sizeof *shard);
    shard->options = *options;
    epoch_init(&shard->own_epoch);
    atomic_init(&shard->own_total, 0);
    shard->epoch = options->epoch ? options->epoch : &shard->own_epoch;
    shard->series_total =
        options->series_total ? options->series_total : &shard->own_total;
    memory_init(&shard->memory, shard->epoch);
    int rc = level_tree_init(&shard->tree, &shard->memory, options->index);
    if (rc < 0) {
        memory_done(&shard->memory);
        free(shard);
        return rc;
    }
    (void)pthread_mutex_init(&shard->lock, NULL);
    *ret = shard;
    return 0;
}

void shard_free(struct shard *shard)
{
    if (!shard)
        return;
    level_tree_done(&shard->tree);
    memory_done(&shard->memory);
    (void)pthread_mutex_destroy(&shard->lock);
    free(shard);
}

size_t shard_of(struct span path, uint64_t seed, size_t count)
{
    size_t slashes = 0, size = 0;
    while (size < path.size && (slashes += path.data[size] == '/') < 2)
        size++;
    return XXH3_64bits_withSeed(path.data, size, seed) % count;
}

void shard_lock(struct shard *shard)
{
    if (pthread_mutex_trylock(&shard->lock) == 0)
        return;
    (void)atomic_fetch_add(&shard->waiting, 1);
    (void)pthread_mutex_lock(&shard->lock);
    (void)atomic_fetch_sub(&shard->waiting, 1);
}

/* The mutex is not fair: who unlocks it and locks it again is faster than who must wake
 * up first, and would win a hundred times in a row. */
void shard_let_in(struct shard *shard)
{
    static const struct timespec pause = { .tv_nsec = 20000 };
    for (int i = 0; i < LET_IN_MAX && atomic_load(&shard->waiting) > 0; i++)
        (void)nanosleep(&pause, NULL);
}

void shard_unlock(struct shard *shard)
{
    (void)pthread_mutex_unlock(&shard->lock);
}

/* One more series, if there is room for it. */
static bool count_series(struct shard *shard)
{
    if (atomic_fetch_add(shard->series_total, 1) < shard->options.series_max)
        return true;
    (void)atomic_fetch_sub(shard->series_total, 1);
    return false;
}

int shard_level_series(struct shard *shard, struct span path, uint32_t metric,
                       int64_t step_ns, struct level_series **ret)
{
    struct level *level = level_find(&shard->tree, path);
    struct level_series *s =
        level ? level_series_find(&shard->tree, level, metric) : NULL;
    if (!s) {
        if (!count_series(shard))
            return -ENOSPC;
        int rc = level_make(&shard->tree, path, &level);
        if (rc == 0)
            rc = level_series_make(&shard->tree, level, metric, step_ns, &s);
        if (rc < 0) {
            (void)atomic_fetch_sub(shard->series_total, 1);
            return rc;
        }
    }
    *ret = s;
    return 0;
}

int shard_series(struct shard *shard, struct span path, uint32_t metric,
                 int64_t step_ns, struct metric_series **ret)
{
    struct level_series *s = NULL;
    int rc = shard_level_series(shard, path, metric, step_ns, &s);
    if (rc == 0)
        *ret = &s->series;
    return rc;
}

int64_t shard_oldest(const struct shard *shard, int64_t now_ns)
{
    return shard->options.retention_ns ? now_ns - shard->options.retention_ns : 0;
}

int shard_put(struct shard *shard, struct metric_series *series, int64_t now_ns,
              int64_t t_ns, double value)
{
    return series_put(series, &shard->memory, &shard->counts,
                      shard_oldest(shard, now_ns), t_ns, value);
}

int shard_replay(struct shard *shard, struct metric_series *series, int64_t t_ns,
                 double value)
{
    return series_put(series, &shard->memory, &shard->counts, 0, t_ns, value);
}

void shard_set_series_max(struct shard *shard, size_t series_max)
{
    shard->options.series_max = series_max;
}

void shard_set_applied(struct shard *shard, uint64_t sequence)
{
    shard->applied = sequence;
}

uint64_t shard_applied(const struct shard *shard)
{
    return shard->applied;
}

struct memory *shard_memory(struct shard *shard)
{
    return &shard->memory;
}

unsigned shard_enter(struct shard *shard)
{
    return epoch_enter(shard->epoch);
}

void shard_leave(struct shard *shard, unsigned reader)
{
    epoch_leave(shard->epoch, reader);
}

const struct level_tree *shard_tree(const struct shard *shard)
{
    return &shard->tree;
}

/* A host is two names deep. */
static bool is_level_exempt(const struct shard *shard, const struct level *level)
{
    size_t slashes = 0;
    for (size_t i = 0; i < level->path_size; i++)
        slashes += level->path[i] == '/';
    return slashes == 1 &&
           shard->options.is_exempt(shard->options.is_exempt_arg,
                                    (struct span){ level->path, level->path_size });
}

/* The level after those below level. */
static struct level *skip_below(struct level *level, const struct level *top)
{
    while (level && level != top && !level->next)
        level = level->parent;
    return level && level != top ? level->next : NULL;
}

enum sparing {
    SPARE_NONE,
    HONOR_EXEMPTIONS,
};

/* Takes the lock for a few hundred series at a time. */
static size_t release_below(struct shard *shard, struct level *top, int64_t t_ns,
                            enum sparing sparing)
{
    size_t released = 0;
    bool may_be_exempt = sparing == HONOR_EXEMPTIONS && shard->options.is_exempt;
    for (struct level *level = top; level;) {
        shard_let_in(shard);
        LOCKED(&shard->lock);
        size_t before = released;
        for (size_t done = 0; level && done < RETAIN_AT_ONCE; done++) {
            if (may_be_exempt && is_level_exempt(shard, level)) {
                level = skip_below(level, top);
                continue;
            }
            struct level_series *s =
                atomic_load_explicit(&level->series, memory_order_relaxed);
            for (; s; s = s->next, done++)
                released +=
                    series_release(&s->series, &shard->memory, &shard->counts, t_ns);
            level = level_next(level, top);
        }
        memory_reclaim(&shard->memory);
        shard->released_slots += released - before;
    }
    return released;
}

size_t shard_retain(struct shard *shard, int64_t now_ns)
{
    if (shard->options.retention_ns == 0)
        return 0;
    return release_below(shard, shard->tree.root, shard_oldest(shard, now_ns),
                         HONOR_EXEMPTIONS);
}

size_t shard_release(struct shard *shard, struct span path, int64_t t_ns)
{
    struct level *top = level_find(&shard->tree, path);
    return top ? release_below(shard, top, t_ns, SPARE_NONE) : 0;
}

void shard_status(struct shard *shard, struct shard_status *ret)
{
    LOCKED(&shard->lock);
    *ret = (struct shard_status){
        .samples = shard->counts,
        .series_count = shard->tree.series_count,
        .level_count = shard->tree.level_count,
        .used_bytes = shard->memory.used_bytes,
        .slab_bytes = shard->memory.slab_bytes,
        .reused_count = shard->memory.reused_count,
        .released_slots = shard->released_slots,
    };
}
