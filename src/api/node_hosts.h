/* SPDX-License-Identifier: Apache-2.0 */
/* node_hosts - the hosts of clusters in the metric store, by class of comparable ones;
 * private to api.
 *
 *     "alex/r30c[09-24]" ─▶ all hosts of alex that have metrics; those of the set are
 *                           selected
 *
 * Threads  one worker's.
 */
#ifndef API_NODE_HOSTS_H
#define API_NODE_HOSTS_H

#include "analysis/node/node.h"
#include "api/api_private.h"
#include "base/arena.h"

#define NODE_COMPONENTS_MAX 16
#define NODE_COMPONENT_BYTES_MAX 1024

/* Those of a request, which outlives none of its texts. */
struct node_components {
    char texts[NODE_COMPONENTS_MAX][NODE_COMPONENT_BYTES_MAX + 1];
    size_t count;
};

struct node_hosts {
    struct arena arena;
    struct node_host *hosts;     /* by class, then by name */
    const struct level **levels; /* theirs; they stay as long as the store */
    uint64_t *bits;              /* [host * width ...]: which metrics, by id */
    size_t *by_name;             /* indices of hosts */
    size_t count, width, selected;
    const char **clusters; /* their names, as in paths */
    size_t cluster_count;
    struct metric_missing missing; /* what components name and is not there */
};

struct node_hosts_opts {
    struct metric_store *store;
    const struct api_readers *readers;
    const struct node_components *components; /* clusters, hosts: patterns, sets,
                                               * lists; none: all */
    bool is_selected_alone; /* the others are left out, and no class is set */
    struct budget_hold *hold;
};

/* Errors: -EINVAL (empty, too long, too many). */
int node_components_add(struct node_components *components, struct span value);

/* Errors: -ENOENT (they select no host), -EINVAL (components), what the readers' watch
 * and the hold report, -ENOMEM. */
int node_hosts_find(const struct node_hosts_opts *opts, struct node_hosts *ret,
                    struct err *err);
void node_hosts_done(struct node_hosts *hosts);
DEFINE_AUTO_DONE(struct node_hosts, node_hosts_done);

/* Whether host has a metric, itself or below. */
bool node_hosts_has(const struct node_hosts *hosts, size_t host, uint32_t metric);

/* The host of a name, as batch systems have it, of any cluster where cluster is empty;
 * SIZE_MAX: there is none. */
size_t node_hosts_by_name(const struct node_hosts *hosts, struct span cluster,
                          struct span host);

#endif
