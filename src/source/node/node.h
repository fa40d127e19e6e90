/* SPDX-License-Identifier: Apache-2.0 */
/* node - what a node's kernel counts of itself: load, CPU, memory, network, disks,
 * pressure, temperatures, jobs by their cgroups, errors of memory, InfiniBand, power of
 * processors; the room's door.
 *
 *     files below root, opened once ─pread─▶ texts ─▶ values, one callback each
 *
 * Metric names and units are those of ClusterCockpit's cc-metric-collector
 * (doc/node-metrics.md).  A round is one pread of each file (more where a text is
 * longer than a page), and allocates nothing but where a job or a device is new.  A
 * file that is not there leaves its values out.
 *
 * Threads  one at a time.
 */
#ifndef SOURCE_NODE_NODE_H
#define SOURCE_NODE_NODE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct node_sources;

enum node_source {
    NODE_LOAD = 1,
    NODE_CPU = 2,
    NODE_MEMORY = 4,
    NODE_VMSTAT = 8,
    NODE_PRESSURE = 16,
    NODE_NETWORK = 32,
    NODE_DISK = 64,
    NODE_SENSORS = 128,
    NODE_JOBS = 256,
    NODE_EDAC = 512,
    NODE_INFINIBAND = 1024,
    NODE_RAPL = 2048,
    NODE_ALL = 4095,
};

struct node_value {
    const char *metric, *unit;
    double value;
    /* Below the host: "hwthread" and "3"; of a network device stype and stype_id.
     * Empty: the host itself. */
    struct span type, id, stype, stype_id;
};
typedef void node_value_fn(void *arg, const struct node_value *value);

/* root: prefix of all paths, "" for this machine.  Errors: -ENOMEM. */
int node_sources_new(const char *root, unsigned sources, struct node_sources **ret);
void node_sources_free(struct node_sources *sources);
DEFINE_AUTO(struct node_sources, node_sources_free);

/* Counters of the processors' energy, which the kernel lets root alone read: opened
 * while there is still the privilege, and given to the sources, which they outlive.
 * Without that the sources open them for themselves.  root: as above.
 * Errors: -ENOMEM. */
struct node_energy;
int node_energy_open(const char *root, struct node_energy **ret);
void node_energy_free(struct node_energy *energy);
DEFINE_AUTO(struct node_energy, node_energy_free);
void node_sources_set_energy(struct node_sources *sources, struct node_energy *energy);

/* What of the wanted sources is there and is not read: one line each, for the
 * operator. */
typedef void node_notice_fn(void *arg, const char *text);
void node_sources_notices(const struct node_sources *sources, node_notice_fn *fn,
                          void *arg);

enum node_state { NODE_UP, NODE_DEGRADED, NODE_DOWN, NODE_UNKNOWN };

/* What a source finds of a part of the node, at each round. */
struct node_health {
    const char *check; /* "edac" */
    struct span part;  /* below the host: "dimm:A1" */
    enum node_state state;
    struct span reason; /* the value that was found; empty where it is up */
    int64_t t_ns;
};
typedef void node_health_fn(void *arg, const struct node_health *health);
/* With the arg of each round; without it no health is reported. */
void node_sources_on_health(struct node_sources *sources, node_health_fn *fn);

/* When corrected errors of a part are a warning (error_trend.h); without a call it is
 * more than 10 in an hour, or 3 times what is usual, until they were few for two days.
 */
struct node_trend_rule {
    uint32_t hour_max, ratio;
    int64_t quiet_ns;
};
void node_sources_set_trend_rule(struct node_sources *sources,
                                 const struct node_trend_rule *rule);
/* What came in the days before, as a text that outlives the agent; parsed before the
 * first round.  Errors: -EBADMSG (then it is as if there were none), -ENOMEM. */
#define NODE_TRENDS_BYTES_MAX ((size_t)384 << 10)
int node_sources_parse_trends(struct node_sources *sources, struct span text);
/* After a round: appends that text where it is time to store it: within a minute after
 * errors, else once an hour.  Returns whether it did. */
bool node_sources_print_trends(struct node_sources *sources, struct strbuf *out);
/* Whatever the time, at the end.  Returns whether there is anything. */
bool node_sources_print_last_trends(struct node_sources *sources, struct strbuf *out);

/* One round; rates and shares come from the second one on. */
void node_sources_read(struct node_sources *sources, int64_t t_ns, node_value_fn *fn,
                       void *arg);

/* "load", "cpu", "memory", "vmstat", "pressure", "network", "disk", "sensors", "jobs",
 * "edac", "infiniband", "rapl", "all".  Errors: -EINVAL. */
int node_source_parse(struct span name, unsigned *ret);

#endif
