/* SPDX-License-Identifier: Apache-2.0 */
/* sample_batches - samples that a sink does not have yet, a batch for each shard.
 *
 * A batch goes to the sink when it is SAMPLE_BATCH_MAX long, and at the end.
 * Threads  none inside.
 */
#ifndef INGEST_SAMPLE_BATCHES_H
#define INGEST_SAMPLE_BATCHES_H

#include "ingest/sink.h"

#define SAMPLE_BATCH_MAX 65536

struct sample_batch {
    struct sample *samples;
    size_t count, capacity;
};

struct sample_batches {
    const struct sink *sink;
    struct sample_batch of[SINK_SHARDS_MAX];
    struct sample_counts counts; /* of all that the sink has accepted */
};

void sample_batches_done(struct sample_batches *batches);
DEFINE_AUTO_DONE(struct sample_batches, sample_batches_done);

/* Errors: -ENOMEM, what sink->put() returns. */
int sample_batches_add(struct sample_batches *batches, size_t shard,
                       const struct sample *sample);
/* Everything goes to the sink.  Errors: the same. */
int sample_batches_flush(struct sample_batches *batches);

#endif
