/* SPDX-License-Identifier: Apache-2.0 */
/* record - one batch of samples as a record of the log.
 *
 *     sequence | names: number = path, metric, step | numbers | times | values
 *
 * A number stands for a series.  It is bound to it by the first record that has it.
 * Numbers and times are runs, because a sender names its series in the same order each
 * time; a value is an integer over a power of ten where that gives back the same bits.
 * doc/formats/store-log.md has the bytes.
 *
 * Units    nanoseconds since the Unix epoch.
 * Threads  none inside.
 */
#ifndef BLOCKS_RECORD_H
#define BLOCKS_RECORD_H

#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdint.h>

#define RECORD_SAMPLES_MAX 1000000
/* Of a series, over the life of a store's directory. */
#define SERIES_NUMBER_MAX ((uint32_t)1 << 26)

struct record_name {
    uint32_t number; /* 1 .. SERIES_NUMBER_MAX */
    struct span path;
    struct span metric;
    int64_t step_ns;
};

struct record {
    uint64_t sequence;
    size_t name_count;
    struct record_name *names;
    size_t count;
    uint32_t *numbers;
    int64_t *times;
    double *values;
    /* Room, for the next batch; record_reserve() makes it. */
    size_t name_capacity;
    size_t capacity;
};

void record_done(struct record *record);
DEFINE_AUTO_DONE(struct record, record_done);
/* Errors: -ENOMEM. */
int record_reserve(struct record *record, size_t names, size_t samples);

/* Append the bytes of a record to out.  Errors: -ENOMEM. */
int record_encode(const struct record *record, struct strbuf *out);
/* Names point into payload.  Errors: -EBADMSG, -ENOMEM; then *record is undefined, but
 * for record_done(). */
int record_decode(struct span payload, struct record *record);

#endif
