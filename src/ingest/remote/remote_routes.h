/* SPDX-License-Identifier: Apache-2.0 */
/* remote_routes - POST /api/v1/write: Prometheus remote write 1.0.
 *
 *     204  all of it is stored
 *     400  some of it is not, and never will be: the text names it; the rest is stored
 *     415  remote write 2.0, or another content type or encoding
 *     503  it cannot be stored now: Retry-After
 *
 * A sender sends again after 503 and 429, and drops what it sent after other 4xx.
 * Threads  any HTTP thread.
 */
#ifndef INGEST_REMOTE_ROUTES_H
#define INGEST_REMOTE_ROUTES_H

#include "ingest/remote/remote_receiver.h"
#include "net/net.h"

/* [remote_write] */
struct remote_opts {
    const char *cluster; /* of series without the label; "": write.cluster */
    struct config_list map;
    const char *step; /* of metrics that become declared */
};

extern const struct config_section remote_config_section;

struct remote_routes_opts {
    const struct remote_opts *config; /* it, and its texts, outlive the routes */
    const char *cluster;              /* where config has none; "": none */
    int64_t step_ns;
    const struct sink *sink;
    struct lookup_cache *cache;
    bool has_tokens;         /* the server has a key */
    bool readers_may_write;  /* readers may write too */
    uint64_t body_bytes_max; /* of a body, decoded */
    uint64_t body_ratio_max;
};

struct remote_stats {
    uint64_t requests, failed, series, accepted, stale, too_old;
    uint64_t bad_series, bad_samples, histograms, exemplars, metadata;
    struct sink_refusals refused;
};

struct remote_routes;

/* Registers the route on server, before it starts.  Errors: -EINVAL (config), -ENOMEM.
 */
int remote_routes_new(struct net_server *server, const struct remote_routes_opts *opts,
                      struct remote_routes **ret, struct err *err);
/* After net_server_free. */
void remote_routes_free(struct remote_routes *routes);
DEFINE_AUTO(struct remote_routes, remote_routes_free);

void remote_routes_stats(struct remote_routes *routes, struct remote_stats *ret);

#endif
