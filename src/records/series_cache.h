/* SPDX-License-Identifier: Apache-2.0 */
/* series_cache - the series seen lately, by (fs, target, identifier), in memory.
 *
 * Bounded: a new one pushes out one that was not used since the clock's hand came
 * by (second chance).  An entry and its texts are one piece of memory.
 *
 * Threads  none inside: the writer's.
 */
#ifndef RECORDS_SERIES_CACHE_H
#define RECORDS_SERIES_CACHE_H

#include "base/cleanup.h"
#include "model/model.h"

struct series_cache;

/* series_max: 1 .. 2^31.  Errors: -EINVAL, -ENOMEM. */
int series_cache_new(size_t series_max, struct series_cache **ret);
void series_cache_free(struct series_cache *cache);
DEFINE_AUTO(struct series_cache, series_cache_free);

/* Valid until the next put; NULL: not there. */
const struct series *series_cache_get(struct series_cache *cache, struct span fs,
                                      struct span target, struct span entry_id);
/* Copy a stored series in under the name (fs, target, entry_id) of key, which is not
 * there yet.  Errors: -ENOMEM. */
int series_cache_put(struct series_cache *cache, const struct series *key,
                     const struct series *series);
void series_cache_clear(struct series_cache *cache);
size_t series_cache_count(const struct series_cache *cache);

#endif
