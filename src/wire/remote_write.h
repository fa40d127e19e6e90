/* SPDX-License-Identifier: Apache-2.0 */
/* remote_write - the message of Prometheus remote write 1.0: series with samples.
 *
 *     WriteRequest ─▶ remote_reader_next() ─▶ series ─┬▶ remote_labels_next()
 *                                                     └▶ remote_samples_next()
 *     series, samples ─▶ remote_series_add() ─▶ WriteRequest, a part of it
 *
 * https://prometheus.io/docs/concepts/remote_write_spec/ .  Fields that are not known
 * are passed over; metadata, exemplars and native histograms are counted.
 * Memory   nothing is copied or allocated: texts are pieces of the message.
 * Threads  a reader belongs to one thread.
 */
#ifndef WIRE_REMOTE_WRITE_H
#define WIRE_REMOTE_WRITE_H

#include "model/model.h"
#include "wire/protobuf.h"

/* A stale marker: the series has ended. */
#define REMOTE_STALE_BITS UINT64_C(0x7FF0000000000002)
/* The not-a-number of Prometheus. */
#define REMOTE_NAN_BITS UINT64_C(0x7FF8000000000001)

#define REMOTE_RUNS_MAX 4

struct remote_series {
    struct span message;
    /* Where its labels stand: one piece from every sender that is known; the bytes of
     * all of them identify a series before its labels are read. */
    struct span runs[REMOTE_RUNS_MAX];
    size_t run_count;
    size_t samples, exemplars, histograms;
    const char *fault; /* not NULL: it is broken, and only this */
};

struct remote_reader {
    struct span rest;
    uint64_t metadata; /* messages of it so far */
};

/* Errors: -EBADMSG, the message is cut off or is another one: nothing of it is read. */
int remote_reader_init(struct remote_reader *reader, struct span message);
/* False at the end. */
bool remote_reader_next(struct remote_reader *reader, struct remote_series *ret);

/* The labels of a series that is not broken, in the message's order, also those with
 * empty values.  Start with a copy of its runs' first in rest and *run = 0. */
struct remote_labels {
    const struct remote_series *series;
    struct span rest;
    size_t run;
};
void remote_labels_init(struct remote_labels *labels, const struct remote_series *of);
/* 1: a label; 0: the end.  Errors: -EBADMSG. */
int remote_labels_next(struct remote_labels *labels, struct label_pair *ret);

struct remote_sample {
    int64_t t_ms;
    uint64_t bits; /* of a double: those of a stale marker are to stay as they are */
};
/* The samples of a series; *rest begins as its message.  False at the end. */
bool remote_samples_next(struct span *rest, struct remote_sample *ret);

/* Append one series with these labels, sorted by name, to a message. */
void remote_series_add(struct strbuf *out, const struct label_pair *labels,
                       size_t label_count, const struct remote_sample *samples,
                       size_t sample_count);

#endif
