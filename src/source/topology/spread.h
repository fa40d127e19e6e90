/* SPDX-License-Identifier: Apache-2.0 */
/* spread - how far apart a set of nodes is, and which gateways it goes through.
 *
 * The radius of a node is its distance to the middle of the set, the mean of all
 * places, in a straight line: a network that wraps around is not known to do so.
 */
#ifndef SOURCE_TOPOLOGY_SPREAD_H
#define SOURCE_TOPOLOGY_SPREAD_H

#include "source/topology/node_map.h"

struct node_spread {
    size_t nodes;  /* of the set, each counted once */
    size_t placed; /* of these, with a place: the radii are theirs */
    size_t routed; /* of these, with a gateway */
    double radius_min;
    double radius_mean;
    double radius_max; /* all NaN: no node has a place */
};

/* Errors: -ENOMEM; then *ret is untouched. */
int node_spread(const struct node_map *map, const struct hostset *nodes,
                struct node_spread *ret);

/* Mark in used, which has room for gateway_count of the map, each gateway of a node of
 * the set with mark.  Returns how many were not marked with any bit of it before. */
size_t node_gateways(const struct node_map *map, const struct hostset *nodes,
                     uint8_t mark, uint8_t *used);

#endif
