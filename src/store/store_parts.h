/* SPDX-License-Identifier: Apache-2.0 */
/* store_parts - what a metric store consists of; for the files of the store only. */
#ifndef STORE_STORE_PARTS_H
#define STORE_STORE_PARTS_H

#include "store/journal.h"
#include "store/store.h"

struct metric_store {
    struct metric_store_options options;
    struct epoch epoch; /* of the readers of all shards */
    struct metric_table *metrics;
    uint64_t shard_seed;
    _Atomic size_t series_total;
    _Atomic uint32_t next_number; /* of a series, in all files */
    _Atomic uint64_t batches;
    _Atomic uint64_t refused_batches;
    size_t shard_count;
    struct shard *shards[METRIC_SHARDS_MAX];
    struct journal *journals[METRIC_SHARDS_MAX]; /* NULL: in memory only */
};

/* A line for a person, if somebody listens. */
void store_say(const struct metric_store *store, enum metric_store_notice notice,
               const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
