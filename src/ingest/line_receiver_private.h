/* SPDX-License-Identifier: Apache-2.0 */
/* line_receiver_private - the state of a receiver, for the files that work on it. */
#ifndef INGEST_LINE_RECEIVER_PRIVATE_H
#define INGEST_LINE_RECEIVER_PRIVATE_H

#include "ingest/line_receiver.h"
#include "ingest/line_repeats.h"

/* The samples of one shard that the sink does not have yet. */
struct batch {
    struct sample *samples;
    size_t count, capacity;
};

struct line_receiver {
    struct line_receiver_opts opts;
    struct lookup_key context;
    struct lookup_entry *before; /* of the line before */
    struct lookup_entry *known;  /* of this line, when its key was known at once */
    uint32_t generation;
    struct batch batches[SINK_SHARDS_MAX];
    struct strbuf rest; /* the beginning of a line whose end is not there yet */
    size_t retry_bytes; /* it is looked at again when it is so long */
    struct line_names names;
    struct line_repeats repeats;
    struct line_result result;
    struct line_reader reader;
};

#endif
