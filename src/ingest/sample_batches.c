/* SPDX-License-Identifier: Apache-2.0 */
/* sample_batches - samples that a sink does not have yet, a batch for each shard. */
#include "ingest/sample_batches.h"

enum { FIRST_CAPACITY = 256 };

void sample_batches_done(struct sample_batches *batches)
{
    for (size_t i = 0; i < SINK_SHARDS_MAX; i++)
        free(batches->of[i].samples);
}

static int put_shard_batch(struct sample_batches *batches, size_t shard)
{
    const struct sink *sink = batches->sink;
    struct sample_batch *batch = &batches->of[shard];
    struct sample_counts stored = { 0 };
    if (batch->count == 0)
        return 0;
    int rc = sink->put(sink->arg, shard, batch->samples, batch->count, &stored);
    if (rc < 0)
        return rc;
    batch->count = 0;
    batches->counts.accepted += stored.accepted;
    batches->counts.too_old += stored.too_old;
    return 0;
}

static int grow_batch(struct sample_batch *batch)
{
    size_t capacity = batch->capacity ? batch->capacity * 4 : FIRST_CAPACITY;
    struct sample *samples = reallocarray(batch->samples, capacity, sizeof *samples);
    if (!samples)
        return -ENOMEM;
    batch->samples = samples;
    batch->capacity = capacity;
    return 0;
}

int sample_batches_add(struct sample_batches *batches, size_t shard,
                       const struct sample *sample)
{
    struct sample_batch *batch = &batches->of[shard];
    int rc = 0;
    if (batch->count == SAMPLE_BATCH_MAX)
        rc = put_shard_batch(batches, shard);
    if (rc == 0 && batch->count == batch->capacity)
        rc = grow_batch(batch);
    if (rc == 0)
        batch->samples[batch->count++] = *sample;
    return rc;
}

int sample_batches_flush(struct sample_batches *batches)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < batches->sink->shard_count; i++)
        rc = put_shard_batch(batches, i);
    return rc;
}
