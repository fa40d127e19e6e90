/* SPDX-License-Identifier: Apache-2.0 */
/* spread - how far apart a set of nodes is, and which gateways it goes through. */
#include "source/topology/spread.h"

#include "base/span.h"

#include <math.h>

/* The nodes of the set that the map knows, each once; *ret_nodes counts the others
 * too. */
static int known_nodes(const struct node_map *map, const struct hostset *set,
                       const struct node_map_node **known, size_t *ret_count,
                       size_t *ret_nodes)
{
    AUTO(hashmap_done) struct hashmap seen = HASHMAP_INIT;
    size_t count = 0;
    for (size_t i = 0; i < hostset_count(set); i++) {
        struct span name = span_of(hostset_at(set, i));
        bool is_new;
        if (!hashmap_put(&seen, name, &is_new))
            return -ENOMEM;
        const struct node_map_node *node = is_new ? node_map_find(map, name) : NULL;
        if (node)
            known[count++] = node;
    }
    *ret_count = count;
    *ret_nodes = seen.count;
    return 0;
}

static double distance(const double a[static 3], const double b[static 3])
{
    double sum = 0;
    for (size_t axis = 0; axis < 3; axis++)
        sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
    return sqrt(sum);
}

static void radii(const struct node_map_node *const *known, size_t count,
                  struct node_spread *spread)
{
    double middle[3] = { 0 }, sum = 0, min = INFINITY, max = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t axis = 0; axis < 3 && known[i]->has_place; axis++)
            middle[axis] += known[i]->at[axis] / (double)spread->placed;
    for (size_t i = 0; i < count; i++) {
        if (!known[i]->has_place)
            continue;
        double radius = distance(known[i]->at, middle);
        sum += radius;
        min = radius < min ? radius : min;
        max = radius > max ? radius : max;
    }
    spread->radius_min = min;
    spread->radius_mean = sum / (double)spread->placed;
    spread->radius_max = max;
}

int node_spread(const struct node_map *map, const struct hostset *nodes,
                struct node_spread *ret)
{
    struct node_spread spread = { .radius_min = NAN,
                                  .radius_mean = NAN,
                                  .radius_max = NAN };
    AUTO_FREE const struct node_map_node **known =
        calloc(hostset_count(nodes) + 1, sizeof *known);
    size_t count = 0;
    if (!known)
        return -ENOMEM;
    int rc = known_nodes(map, nodes, known, &count, &spread.nodes);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < count; i++) {
        spread.placed += known[i]->has_place;
        spread.routed += known[i]->gateway_count > 0;
    }
    if (spread.placed > 0)
        radii(known, count, &spread);
    *ret = spread;
    return 0;
}

size_t node_gateways(const struct node_map *map, const struct hostset *nodes,
                     uint8_t mark, uint8_t *used)
{
    size_t count = 0;
    const uint32_t *last = NULL;
    for (size_t i = 0; i < hostset_count(nodes); i++) {
        const struct node_map_node *node =
            node_map_find(map, span_of(hostset_at(nodes, i)));
        /* Nodes of one line have one list: it is looked at once. */
        if (!node || node->gateways == last)
            continue;
        last = node->gateways;
        for (size_t g = 0; g < node->gateway_count; g++) {
            count += (used[node->gateways[g]] & mark) == 0;
            used[node->gateways[g]] |= mark;
        }
    }
    return count;
}
