/* SPDX-License-Identifier: Apache-2.0 */
/* sink - where samples are stored: what ingest needs of a metric store.
 *
 *     path, metric ─▶ sink->series() ─▶ a series, and its shard; remembered
 *     samples of one shard ─▶ sink->put() ─▶ stored
 *
 * The program joins it, so that this room is tested with a sink of its own.
 * Threads  any, at the same time.
 */
#ifndef INGEST_SINK_H
#define INGEST_SINK_H

#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"
#include "ingest/sender_quota.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

#define SINK_SHARDS_MAX 64

/* Each sample of a metric has a time of its own. */
#define SINK_STEP_NONE INT64_C(-1)

struct sink_key {
    struct span path; /* as model/component prints it */
    struct span metric;
    bool is_open;    /* a metric that is not declared becomes declared ... */
    bool is_counter; /* ... as one that only grows, else as a gauge */
    int64_t step_ns; /* ... with this step; 0: the sink's own; SINK_STEP_NONE: none */
    struct sender_account *account; /* charged for what is created; NULL: nothing is */
};

/* Samples refused because their series or metric could not be created, by reason. */
struct sink_refusals {
    uint64_t store_full; /* as many series or metrics as the store may hold */
    uint64_t share;      /* beyond the sender's share */
    uint64_t rate; /* too many new metrics in this hour; later there may be room */
    uint64_t name; /* [write] allow and deny exclude the metric */
};

/* Count what sink->series() returned; false: it is no refusal. */
bool sink_count_refusal(struct sink_refusals *refused, int rc);
uint64_t sink_refused(const struct sink_refusals *refused); /* of all reasons */

/* Each reason in turn, also those of which there are none; false at the end. */
struct sink_refusal {
    const char *key, *text; /* "share"; "of new series beyond ..." */
    uint64_t count;
};
bool sink_refusal_at(const struct sink_refusals *refused, size_t index,
                     struct sink_refusal *ret);
/* Append "5 samples of new series beyond ..., 2 samples of ..." */
void sink_refusals_print(const struct sink_refusals *refused, struct strbuf *out);

struct sink {
    /* Find or make.  Errors: -ENOENT (no such metric), -EINVAL (the path or the name),
     * -ENOSPC (too many series), what sender_account_charge() says, -ENOMEM. */
    int (*series)(void *arg, const struct sink_key *key, struct level_series **ret,
                  uint16_t *ret_shard);
    /* All of one shard.  0: they are stored.  Errors: -ENOSPC, -EIO and so on: none is
     * acknowledged. */
    int (*put)(void *arg, size_t shard, const struct sample *samples, size_t count,
               struct sample_counts *ret);
    /* Whether there is such a metric.  NULL: it is not known before series() is. */
    bool (*has_metric)(void *arg, struct span name);
    /* Changes whenever a metric that was not known may be known now. */
    uint32_t (*generation)(void *arg);
    void *arg;
    size_t shard_count; /* 1 .. SINK_SHARDS_MAX */
    /* 0: all that was put survives a loss of power.  NULL: there is no disk. */
    int (*sync)(void *arg);
    struct sender_quota *quota; /* of all senders; NULL: no shares */
    /* So many lines of a text were refused, and their sender gets no response: for the
     * log. NULL: nothing is logged. */
    void (*report_unaddressed)(void *arg, const char *sender, uint64_t lines);
};

#endif
