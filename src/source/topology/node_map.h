/* SPDX-License-Identifier: Apache-2.0 */
/* node_map - each node's place in the network, and its gateways to storage.
 *
 *     nid00010 --- gateway ion3 ---+
 *     nid00011 --- gateway ion3 ---+--- file system      a gateway is an I/O node, a
 *     nid00012 --- gateway ion4 ---+                     router or an NSD client
 *
 * Read from lines, of any of these kinds, in one text or several:
 *
 *     cpu=0,...,x_coord=13,y_coord=0,z_coord=2,...,processor_id=5000     (xtdb2proc)
 *     nid05000 13 0 2                                                    (a place)
 *     nid[05000-05127] via ion[03-04]                                    (gateways)
 *
 * Said twice, the last holds.
 *
 * Units    coordinates are of the site's own: hops, racks, metres.
 * Threads  none inside; asking changes nothing.
 */
#ifndef SOURCE_TOPOLOGY_NODE_MAP_H
#define SOURCE_TOPOLOGY_NODE_MAP_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/hashmap.h"
#include "model/model.h"

#define NODE_MAP_NODES_MAX ((size_t)1 << 20)
#define NODE_MAP_GATEWAYS_MAX ((size_t)1 << 16)
#define NODE_MAP_COORDINATE_MAX 1e9
#define NODE_MAP_LINKS_MAX ((size_t)1 << 22)
#define NODE_MAP_NAMES_MAX ((size_t)1 << 24) /* in all lines together, unfolded */

struct node_map_node {
    bool has_place;
    double at[3];
    const uint32_t *gateways; /* their numbers, 0 .. gateway_count of the map */
    size_t gateway_count;
};

struct node_map {
    struct arena arena; /* lists of gateways, and their names */
    struct node_map_node *nodes;
    size_t node_count;
    size_t node_capacity;
    struct hashmap node_index; /* name -> position + 1 */
    const char **gateways;     /* names, by number */
    size_t gateway_count;
    size_t gateway_capacity;
    struct hashmap gateway_index; /* name -> number + 1 */
    size_t link_count;            /* gateways in all lists */
    size_t name_count;            /* that sets were unfolded into */
    uint64_t fault_count;         /* lines that could not be read, or are too many */
};

/* text is the line; reason is static. */
typedef void node_map_fault_fn(void *arg, uint64_t line, struct span text,
                               const char *reason);

void node_map_init(struct node_map *map);
void node_map_done(struct node_map *map);
DEFINE_AUTO_DONE(struct node_map, node_map_done);

/* Read all lines of text, of which nothing is kept.  A line that cannot be read costs
 * that line: on_fault, which may be NULL, hears of it.  A last line without its line
 * end is cut, and such a line.  Errors: -ENOMEM. */
int node_map_add(struct node_map *map, struct span text, node_map_fault_fn *on_fault,
                 void *arg);

/* NULL: no line has it. */
const struct node_map_node *node_map_find(const struct node_map *map, struct span name);

#endif
