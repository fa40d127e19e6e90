/* SPDX-License-Identifier: Apache-2.0 */
/* node_class - classes of comparable nodes: of one cluster, with the same metrics.
 *
 * A node with GPUs has metrics that others have not.  A node that lacks one metric, or
 * has one more, is no class of its own: a class of too few nodes joins the one of its
 * cluster that has most metrics in common with it, if three quarters are in common.
 */
#ifndef ANALYSIS_NODE_NODE_CLASS_H
#define ANALYSIS_NODE_NODE_CLASS_H

#include <stddef.h>
#include <stdint.h>

struct node_metric_set {
    size_t cluster;       /* from 0 */
    const uint64_t *bits; /* of metrics, by id */
};

/* Set the class of each, numbered from 0 in order of their first node.  width: of each
 * bits.  Errors: -ENOMEM. */
int node_class_assign(const struct node_metric_set *sets, size_t count, size_t width,
                      size_t *ret_classes);

#endif
