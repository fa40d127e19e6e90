/* SPDX-License-Identifier: Apache-2.0 */
/* write_routes - metrics by HTTP, as ClusterCockpit's and InfluxDB's senders do it.
 *
 *     POST /api/write[/]     cc-metric-collector: 200, errors {"status","error"}
 *     POST /write            Telegraf, InfluxDB 1: 204, errors {"error"}
 *     POST /api/v2/write     Telegraf, InfluxDB 2: 204, errors {"code","message"}
 *     /ping /health /query   what InfluxDB's clients ask first
 *
 * A body is read while it arrives, on the HTTP thread, and is answered after the last
 * batch is kept.  doc/formats/writing-metrics.md has what becomes of a line.
 *
 * Threads  any HTTP thread.
 */
#ifndef INGEST_WRITE_ROUTES_H
#define INGEST_WRITE_ROUTES_H

#include "base/config.h"
#include "ingest/line_receiver.h"
#include "net/net.h"

struct write_opts {
    const char *cluster; /* of lines that name none; "": they must */
    const char *metrics; /* "declared" or "open" */
    const char *step;    /* of metrics that are declared by a line: "none" or a time */
    bool readers_may_write;    /* readers may write too */
    uint64_t lookup_cache_max; /* keys remembered */
    /* What one sender may create; percent, and counts for a token of one host. */
    uint64_t series_share, exporter_share, metrics_share;
    uint64_t host_series_max, host_metrics_max;
    uint64_t metrics_first, metrics_per_hour;
    struct config_list allow, deny; /* patterns of new metrics */
};

extern const struct config_section write_config_section;

struct write_routes;

struct write_stats {
    uint64_t requests, failed;
    uint64_t lines, accepted, too_old, bad, unaddressed;
    uint64_t unknown_metric, unknown_tag, collapsed, strings;
    struct sink_refusals refused;
    struct lookup_cache_stats cache;
};

/* Registers the routes on server, before it starts.  opts and sink outlive them.
 * has_tokens: the server has a key, so that who shows no token is one local user.
 * Errors: -EINVAL (opts), -ENOMEM, -EIO. */
int write_routes_new(struct net_server *server, const struct write_opts *opts,
                     const struct sink *sink, bool is_strict, bool has_tokens,
                     struct write_routes **ret, struct err *err);
/* After net_server_free. */
void write_routes_free(struct write_routes *routes);
DEFINE_AUTO(struct write_routes, write_routes_free);

/* For other ways in, which share its cache and its counters. */
struct lookup_cache *write_routes_cache(struct write_routes *routes);
void write_routes_count(struct write_routes *routes, const struct line_result *result);
void write_routes_stats(struct write_routes *routes, struct write_stats *ret);

#endif
