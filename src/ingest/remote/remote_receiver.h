/* SPDX-License-Identifier: Apache-2.0 */
/* remote_receiver - one message of Prometheus remote write on its way into a sink.
 *
 *     series ─▶ lookup_cache ─▶ a batch for each shard ─▶ sink->put()
 *                  └ never seen: remote_names ─▶ sink->series()
 *
 * A bad series costs that series.  A stale marker is stored with its bits, as the last
 * sample of its series: readers of the language end the series there, others read that
 * there is no value.  The not-a-number that the store has for "no sample" becomes that
 * of Prometheus.
 * Threads  none inside; any number of receivers share one cache and one sink.
 */
#ifndef INGEST_REMOTE_RECEIVER_H
#define INGEST_REMOTE_RECEIVER_H

#include "ingest/lookup_cache.h"
#include "ingest/remote/remote_names.h"

struct remote_receiver_opts {
    const struct sink *sink;
    struct lookup_cache *cache;
    struct remote_names_opts names; /* the texts outlive the call */
    int64_t step_ns;                /* of metrics that become declared */
    struct sender_account *account; /* the sender's; NULL: it may create all */
};

struct remote_result {
    uint64_t series;
    uint64_t accepted;            /* samples that are stored */
    uint64_t stale;               /* stale markers among them */
    uint64_t too_old;             /* samples from before the retention, or of no time */
    uint64_t bad_series;          /* refused for what they are */
    uint64_t bad_samples;         /* those of bad series */
    uint64_t histograms;          /* native ones, left out */
    uint64_t exemplars, metadata; /* passed over */
    struct sink_refusals refused; /* samples of what could not be created */
    char first[256];              /* the first bad series, and why */
};

/* Errors: -EBADMSG (no such message; nothing is stored), -ENOMEM, what sink->put()
 * returns. */
int remote_receive(const struct remote_receiver_opts *opts, struct span message,
                   struct remote_result *ret);

#endif
