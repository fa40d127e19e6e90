/* SPDX-License-Identifier: Apache-2.0 */
/* upstreams - where chunks come from, in the order of preference, with their health.
 *
 *              connects ──▶ open ──▶ (fetches) ──▶ lost, lies
 *     fetch ─▶ the first that is open and was not tried for it
 *              none: it waits until one is, or until a pause is over
 *
 * An upstream is connected to when it is needed, and again after a pause that doubles.
 * A fetch stays here until one responded, or it is cancelled: what a lost connection
 * had under way is sent to the next, and so is what one owes for longer than the
 * timeout, be it that it responds to pings: it is passed over for a while. Threads  the
 * loop's.
 */
#ifndef DATASET_FORWARDER_UPSTREAMS_H
#define DATASET_FORWARDER_UPSTREAMS_H

#include "dataset/forwarder/chunk/chunk_client.h"
#include "dataset/forwarder/report.h"

#define UPSTREAMS_MAX 32U

struct upstreams;

struct upstreams_opts {
    const char *const *addresses; /* outlive them */
    size_t count;
    int64_t timeout_ns;            /* of an upstream that sends nothing */
    const struct readers *readers; /* whose key proves who this is */
    const struct forwarder_report *report;
};

/* Errors: -EINVAL (an address), -ENOMEM. */
int upstreams_new(struct channel_loop *channels, const struct upstreams_opts *opts,
                  struct upstreams **ret, struct err *err);
void upstreams_close(struct upstreams *upstreams); /* connections and pauses */
/* After the loop has ended. */
void upstreams_free(struct upstreams *upstreams);
DEFINE_AUTO(struct upstreams, upstreams_free);

/* kind, what it names, done and tried = not_found = 0 are set.  done() has -ENOENT:
 * each upstream has none such; -EFBIG: an index that is too large, or a lease that each
 * one refused that could be connected to; -ESTALE: the only
 * one that it was for (stays) is away, or did not have it. */
void upstreams_fetch(struct upstreams *upstreams, struct fetch *fetch);
void upstreams_cancel(struct upstreams *upstreams, struct fetch *fetch);
/* What came for it was not what its digest states: the upstream is passed over for a
 * while, and it is fetched from another. */
void upstreams_fetch_elsewhere(struct upstreams *upstreams, struct fetch *fetch);
/* What came for it is right: why something did not is past. */
void upstreams_verified(struct upstreams *upstreams, const struct fetch *fetch);
/* Before each wait of the loop. */
void upstreams_flush(struct upstreams *upstreams);
/* A few times a second while something is fetched. */
void upstreams_check(struct upstreams *upstreams, int64_t now_ns);
bool upstreams_are_idle(const struct upstreams *upstreams);
/* Why nothing came, for a person: "unix:/x: connection refused". */
const char *upstreams_reason(const struct upstreams *upstreams);

struct upstream_counts {
    const char *address;
    bool is_open;
    uint64_t chunks, bytes, corrupt, lost;
};
size_t upstreams_count(const struct upstreams *upstreams);
void upstreams_counts(const struct upstreams *upstreams, size_t index,
                      struct upstream_counts *ret);

#endif
