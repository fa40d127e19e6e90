/* SPDX-License-Identifier: Apache-2.0 */
/* node_peaks - what nodes can do at best, as configured: floating point operations and
 * bytes of memory a second.
 *
 *     [subcluster fritz-icelake]      nodes of one kind, by any name
 *     cluster = fritz                 default: any
 *     nodes = f[0001-0992]            default: all of the cluster
 *     flops = 9.2TF/s                 of a node, in what its metric of them counts
 *     memory_bandwidth = 350GB/s      of a node
 *
 * Of several that fit a node the first counts.  Nothing is guessed: a job with a node
 * that none fits has no peaks.
 *
 * Threads  read-only after node_peaks_new: any.
 */
#ifndef ANALYSIS_FOOTPRINT_NODE_PEAKS_H
#define ANALYSIS_FOOTPRINT_NODE_PEAKS_H

#include "analysis/footprint/node_samples.h"
#include "base/arena.h"
#include "base/config.h"

extern const struct config_section subcluster_config_section;

struct node_peaks;

/* config NULL: nothing is configured.  Errors: -EINVAL (nodes, a rate that is none or
 * missing: err names section and value), -ENOMEM. */
int node_peaks_new(const struct config *config, struct node_peaks **ret,
                   struct err *err);
void node_peaks_free(struct node_peaks *peaks);
DEFINE_AUTO(struct node_peaks, node_peaks_free);

/* Set the peaks of the samples' hosts: their means.  peaks NULL: nothing is configured.
 * Errors: -ENOMEM. */
int node_peaks_set(const struct node_peaks *peaks, struct arena *arena,
                   struct node_samples *samples);

#endif
