/* SPDX-License-Identifier: Apache-2.0 */
/* memory_cap - the worker that is heard before memory is out, and acts when it is.
 *
 * From four fifths of the limit on a warning is logged.  Past it a checkpoint moves
 * blocks to files, whose pages the system may drop; a store without files evicts its
 * oldest quarter, half, three quarters of history, and logs that: it is lost.
 */
#include "base/clock.h"
#include "base/figure.h"
#include "base/span.h"
#include "store/work.h"

#define WARN_PER_CENT 80
#define CALM_PER_CENT 70

/* The time of the oldest sample in memory; INT64_MAX: there is none. */
static int64_t oldest_ns(struct metric_store *store)
{
    int64_t oldest = INT64_MAX;
    unsigned reader = metric_store_enter(store);
    for (size_t i = 0; i < store->shard_count; i++) {
        struct level *root = metric_store_tree(store, i)->root;
        for (struct level *level = root; level; level = level_next(level, root)) {
            const struct level_series *s =
                atomic_load_explicit(&level->series, memory_order_acquire);
            for (; s; s = s->next) {
                int64_t first_ns = series_first_ns(&s->series);
                oldest = first_ns < oldest ? first_ns : oldest;
            }
        }
    }
    metric_store_leave(store, reader);
    return oldest;
}

static uint64_t release_quarter(struct metric_store *store, int64_t first_ns,
                                int64_t now_ns, int quarter)
{
    uint64_t released = 0;
    int64_t t_ns = first_ns + (now_ns - first_ns) / 4 * quarter;
    for (size_t i = 0; i < store->shard_count; i++)
        released += shard_release(store->shards[i], SPAN(""), t_ns);
    return released;
}

static void cut_history(struct metric_store *store, uint64_t *ret_done)
{
    uint64_t limit = store->options.memory_bytes_max;
    int64_t first_ns = oldest_ns(store);
    int64_t now_ns = clock_now_ns();
    int quarter = 0;
    while (first_ns < now_ns && quarter < 3 && store_used_bytes(store) > limit)
        *ret_done += release_quarter(store, first_ns, now_ns, ++quarter);
    if (quarter > 0)
        store_report(store, STORE_ERROR,
                     "memory is over its limit: the oldest %d quarters of history are "
                     "evicted and lost, as no file stores them",
                     quarter);
}

static void warn(struct metric_store *store, uint64_t used)
{
    char is[32], limit[32];
    uint64_t per_cent = used / (store->options.memory_bytes_max / 100 + 1);
    if (per_cent < CALM_PER_CENT)
        store->is_memory_warned = false;
    if (per_cent < WARN_PER_CENT || store->is_memory_warned)
        return;
    store->is_memory_warned = true;
    (void)atomic_fetch_add(&store->memory_warnings, 1);
    figure_print_bytes(is, sizeof is, (double)used);
    figure_print_bytes(limit, sizeof limit, (double)store->options.memory_bytes_max);
    store_report(
        store, STORE_WARNING,
        "memory of the store is %s of at most %s: raise its limit, shorten the "
        "retention or send fewer series, before history is lost",
        is, limit);
}

int store_memory_cap(struct metric_store *store, uint64_t *ret_done, struct err *err)
{
    uint64_t limit = store->options.memory_bytes_max;
    uint64_t used = store_used_bytes(store);
    if (limit == 0)
        return 0;
    warn(store, used);
    if (used <= limit)
        return 0;
    (void)atomic_fetch_add(&store->memory_overruns, 1);
    if (!store->dir) {
        cut_history(store, ret_done);
        return 0;
    }
    uint64_t blocks = 0;
    return store_checkpoint(store, &blocks, err);
}
