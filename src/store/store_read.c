/* SPDX-License-Identifier: Apache-2.0 */
/* store_read - a series out of memory, and before that out of files.
 *
 *     archive ─▶ files of blocks ─▶ memory        in order of time
 *
 * A block that was written again (late samples came) overlaps the one before in time,
 * and has all of it: of blocks that overlap the one of the newest checkpoint counts.
 * Nothing in memory is before its first part, but for late samples that files cannot
 * have: before what was evicted none is accepted any more.
 */
#include "store/metric_store.h"

#include <math.h>

struct reading {
    struct metric_store *store;
    const struct level_series *series;
    struct series_reading from;
    struct metric_read *result;
};

static int read_old(void *arg, int64_t first_ns)
{
    struct reading *reading = arg;
    AUTO(old_blocks_done) struct old_blocks old = OLD_BLOCKS_INIT;
    int64_t to_ns = reading->from.to_ns < first_ns ? reading->from.to_ns : first_ns;
    const struct store_files *files = atomic_load(&reading->store->files);
    if (!files || reading->series->number == 0 || reading->from.from_ns >= to_ns)
        return 0;
    int rc =
        old_blocks_find(&old, files, reading->series->number,
                        (struct old_range){ reading->from.from_ns, to_ns, first_ns });
    reading->result->unreadable += old.unreadable;
    for (size_t i = 0; rc == 0 && i < old.count; i++) {
        rc = reading_block(&reading->from, old.blocks[i].block);
        reading->result->from |=
            old.blocks[i].is_archived ? METRIC_FROM_ARCHIVE : METRIC_FROM_CHECKPOINT;
    }
    return rc;
}

int metric_store_read(struct metric_store *store, const struct level_series *series,
                      const struct metric_range *range, struct metric_read *ret)
{
    struct metric_read read = { .from = METRIC_FROM_MEMORY };
    struct reading reading = {
        .store = store,
        .series = series,
        .from = { .from_ns = range->from_ns,
                  .to_ns = range->to_ns,
                  .fn = range->fn,
                  .arg = range->arg,
                  .unreadable = &read.unreadable },
        .result = &read,
    };
    int rc = reading_series(&reading.from, &series->series, read_old, &reading);
    if (read.unreadable > 0)
        (void)atomic_fetch_add(&store->unreadable_blocks, read.unreadable);
    if (rc == 0)
        *ret = read;
    return rc;
}

int metric_store_stats(struct metric_store *store, const struct level_series *series,
                       int64_t from_ns, int64_t to_ns, struct series_stats *ret)
{
    struct series_stats stats = { .min = NAN, .max = NAN };
    struct metric_read read = { 0 };
    struct reading reading = {
        .store = store,
        .series = series,
        .from = { .from_ns = from_ns,
                  .to_ns = to_ns,
                  .stats = &stats,
                  .step_ns = series_grid_ns(&series->series),
                  .unreadable = &read.unreadable },
        .result = &read,
    };
    int rc = reading_series(&reading.from, &series->series, read_old, &reading);
    if (read.unreadable > 0)
        (void)atomic_fetch_add(&store->unreadable_blocks, read.unreadable);
    if (rc == 0)
        *ret = stats;
    return rc;
}
