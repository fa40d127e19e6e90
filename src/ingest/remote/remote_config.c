/* SPDX-License-Identifier: Apache-2.0 */
/* remote_config - the section [remote_write]: keys, defaults, meanings. */
#include "base/number.h"
#include "ingest/remote/remote_routes.h"

#include <stddef.h>

static const struct config_key keys[] = {
    { "cluster", CONFIG_TEXT, offsetof(struct remote_opts, cluster), "", 0, 0,
      "The label cluster of series that have none; empty: write.cluster, and without "
      "it "
      "they stay without." },
    { "map", CONFIG_LIST, offsetof(struct remote_opts, map), NULL, 0, 0,
      "A label and the part of a component, cluster or hostname, that it names for "
      "series without that label; may be repeated; none: \"instance hostname\"." },
    { "step", CONFIG_TEXT, offsetof(struct remote_opts, step), "none", 0, 0,
      "The time between two samples of metrics without a section; \"none\": each has "
      "its own time; \"found\": as the first samples of each series have it." },
};

const struct config_section remote_config_section = {
    "remote_write",
    false,
    keys,
    COUNT_OF(keys),
    "Metrics that Prometheus and others send to /api/v1/write.",
};
