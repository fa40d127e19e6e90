/* SPDX-License-Identifier: Apache-2.0 */
/* prefetch - what series_put() is going to read, fetched before it is needed.
 *
 * What series_put() reads of one series leads from one address in memory to the next,
 * and with twenty thousand series none of them is in the cache.  A writer of many
 * prefetches each address a few series before it is needed: the series, then, a few
 * series later each, what these point to.  Under the mutex of the memory.
 *
 * Threads  under the mutex of the memory.
 */
#ifndef STORE_SERIES_PREFETCH_H
#define STORE_SERIES_PREFETCH_H

#include "store/series/view.h"

#define SERIES_AHEAD 10

static inline void series_prefetch_view(const struct metric_series *series)
{
    __builtin_prefetch(atomic_load_explicit(&series->view, memory_order_relaxed));
}

static inline void series_prefetch_head(const struct metric_series *series)
{
    const struct series_view *view =
        atomic_load_explicit(&series->view, memory_order_relaxed);
    if (!view)
        return;
    __builtin_prefetch(view->head, 1);
    __builtin_prefetch((const char *)view->head + 64, 1);
}

static inline void series_prefetch_slot(const struct metric_series *series)
{
    const struct series_view *view =
        atomic_load_explicit(&series->view, memory_order_relaxed);
    if (!view)
        return;
    const struct series_head *head = view->head;
    size_t count = atomic_load_explicit(&head->count, memory_order_relaxed);
    if (head->is_chunked && count / CHUNK_WORDS < head->chunk_count)
        __builtin_prefetch(
            &head->chunks[count / CHUNK_WORDS]->words[count % CHUNK_WORDS], 1);
}

#endif
