/* SPDX-License-Identifier: Apache-2.0 */
/* forward - samples to other engines by Prometheus remote write; the room's door.
 *
 *     forward_put() ─▶ names ─▶ queue on disk, one a target ─▶ thread ─▶ POST url
 *     (before they                        bounded                 └─ back-off, until
 * the are stored)                                                    target has them
 *
 * What forward_put() has returned for is in the queue: it survives the death of the
 * process, and loss of power once forward_sync() has returned, or after
 * sync_interval_ns.  It is sent until the target accepts it with 2xx, or refuses
 * it for good: then the request is halved until what is refused is a single sample,
 * which is counted.  A request whose response was lost comes again.  A full queue loses
 * its oldest samples, counted.
 * Threads  forward_put(), forward_sync(): any; inside a thread for each target, and one
 * that syncs.
 */
#ifndef FORWARD_FORWARD_H
#define FORWARD_FORWARD_H

#include "base/cleanup.h"
#include "base/config.h"
#include "base/err.h"
#include "forward/series_names.h"
#include "model/model.h"

/* [forward NAME] */
struct forward_opts {
    const char *url;
    const char *token_file, *user, *password_file, *ca_file;
    struct config_list include, exclude; /* patterns of metrics */
    struct config_list label;            /* "NAME VALUE" */
    const char *directory;               /* of the queue */
    uint64_t queue_bytes_max;
    uint64_t batch_samples;
    int64_t timeout_ns;
};

extern const struct config_section forward_config_section;

enum forward_notice {
    FORWARD_WORKS,    /* a target that failed, or was not tried, accepts samples */
    FORWARD_FAILS,    /* it does not, and is tried again */
    FORWARD_REFUSED,  /* it refuses samples for good */
    FORWARD_LOST,     /* samples went from a full queue, or could not be queued */
    FORWARD_UNSYNCED, /* what is queued may not survive loss of power */
    FORWARD_NOTICE_COUNT,
};

/* From any thread. */
typedef void forward_report_fn(void *arg, enum forward_notice notice, const char *text);

/* What the store knows. */
struct forward_source {
    series_describe_fn *describe;
    /* The times at which queries show these samples. */
    void (*show_times)(void *arg, const struct sample *samples, size_t count,
                       int64_t *ret_ns);
    /* Samples of such times are not stored. */
    int64_t (*oldest_ns)(void *arg);
    forward_report_fn *report;
    void *arg;
    int64_t sync_interval_ns; /* how long until what is queued is on the disk */
};

struct forward;

/* Errors: -ENOMEM. */
int forward_new(const struct forward_source *source, struct forward **ret,
                struct err *err);
/* A target, before it starts; name and opts outlive it.  Errors: -EINVAL (opts), those
 * of its files, of its queue, -ENOMEM. */
int forward_add(struct forward *forward, const char *name,
                const struct forward_opts *opts, struct err *err);
/* What forward_add() would refuse, without a queue. */
int forward_check(const char *name, const struct forward_opts *opts, struct err *err);
/* Errors: -EAGAIN (no thread). */
int forward_start(struct forward *forward, struct err *err);
/* Ends its threads: a request under way has its timeout.  What is queued stays. */
void forward_free(struct forward *forward);
DEFINE_AUTO(struct forward, forward_free);

/* Queue samples for every target.  What cannot be queued is counted and reported. */
void forward_put(struct forward *forward, const struct sample *samples, size_t count);
/* What was queued before survives loss of power when this returns.  It is done every
 * sync_interval_ns, too.  Errors: those of the first disk that failed. */
int forward_sync(struct forward *forward);

struct forward_stats {
    uint64_t queued, sent; /* samples; what came twice was sent twice */
    uint64_t refused;      /* by the target, for good */
    uint64_t lost;         /* from a full queue, a damaged one, or never queued */
    uint64_t requests, retries;
    uint64_t waiting_samples, waiting_bytes, bytes_max; /* in the queue */
    bool is_working; /* the last request was accepted */
};
size_t forward_count(const struct forward *forward);
/* *ret_name is the target's. */
void forward_stats(struct forward *forward, size_t index, const char **ret_name,
                   struct forward_stats *ret);

#endif
