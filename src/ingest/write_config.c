/* SPDX-License-Identifier: Apache-2.0 */
/* write_config - the section [write]: keys, defaults, meanings. */
#include "base/number.h"
#include "ingest/write_routes.h"

#include <stddef.h>

static const struct config_key keys[] = {
    { "cluster", CONFIG_TEXT, offsetof(struct write_opts, cluster), "", 0, 0,
      "The cluster of lines that name none; empty: they must." },
    { "metrics", CONFIG_TEXT, offsetof(struct write_opts, metrics), "declared", 0, 0,
      "What POST /api/write accepts: declared (those with a section) or open (all)." },
    { "step", CONFIG_TEXT, offsetof(struct write_opts, step), "found", 0, 0,
      "The time between two samples of metrics without a section; \"found\": as the "
      "first samples of each series have it; \"none\": each has its own time." },
    { "readers_may_write", CONFIG_BOOL, offsetof(struct write_opts, readers_may_write),
      "no", 0, 0,
      "Clients that may read may write metrics too: for senders without a token." },
    { "lookup_cache_max", CONFIG_COUNT, offsetof(struct write_opts, lookup_cache_max),
      "20000000", 1000, INT64_C(1) << 32,
      "Lines whose series is remembered, at 70 bytes each." },
    { "series_share", CONFIG_COUNT, offsetof(struct write_opts, series_share), "90", 1,
      100,
      "Percent of store.series_max that one sender may create; beyond it, 400. The "
      "last "
      "tenth of the store is for senders with fewer than host_series_max." },
    { "exporter_share", CONFIG_COUNT, offsetof(struct write_opts, exporter_share), "25",
      1, 100,
      "Likewise of one target of a [scrape NAME], and of one local user without a "
      "token "
      "where tokens are configured." },
    { "metrics_share", CONFIG_COUNT, offsetof(struct write_opts, metrics_share), "25",
      1, 100, "Percent of the 65536 metrics that one sender may create." },
    { "host_series_max", CONFIG_COUNT, offsetof(struct write_opts, host_series_max),
      "50000", 1, INT64_C(1) << 32,
      "Series that a sender whose token is for one host may create, within its "
      "share." },
    { "host_metrics_max", CONFIG_COUNT, offsetof(struct write_opts, host_metrics_max),
      "4000", 1, INT64_C(1) << 32, "Metrics that such a sender may create." },
    { "metrics_first", CONFIG_COUNT, offsetof(struct write_opts, metrics_first), "8000",
      0, INT64_C(1) << 32,
      "Metrics that a sender whose token is not for one host may create before "
      "metrics_per_hour counts: those of a site that starts to send." },
    { "metrics_per_hour", CONFIG_COUNT, offsetof(struct write_opts, metrics_per_hour),
      "2000", 0, INT64_C(1) << 32,
      "Metrics that one sender may create in an hour; beyond it, 503 until there is "
      "room." },
    { "allow", CONFIG_LIST, offsetof(struct write_opts, allow), NULL, 0, 0,
      "A pattern of metrics that senders may create; may be repeated; none: all." },
    { "deny", CONFIG_LIST, offsetof(struct write_opts, deny), NULL, 0, 0,
      "A pattern of metrics that senders may not create; may be repeated." },
};

const struct config_section write_config_section = {
    "write", false, keys, COUNT_OF(keys), "Metrics that are sent here.",
};
