/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_topology - places and gateways of nodes: no radius leaves its order, and no
 * gateway is outside of the map.
 */
#include "source/topology/topology.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

static void hear_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    (void)text;
    fuzz_check(line > 0 && reason != NULL);
    ++*(uint64_t *)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The first line is the set that is asked for. */
    struct span text = { (const char *)data, size }, asked;
    AUTO(node_map_done) struct node_map map;
    AUTO(hostset_free) struct hostset *set = NULL;
    struct node_spread spread;
    uint64_t faults = 0;
    (void)span_cut(&text, '\n', &asked);
    node_map_init(&map);
    fuzz_check(node_map_add(&map, text, hear_fault, &faults) == 0);
    fuzz_check(map.fault_count == faults);
    if (hostset_parse(asked, &set, NULL) < 0)
        return 0;
    fuzz_check(node_spread(&map, set, &spread) == 0);
    fuzz_check(spread.placed <= spread.nodes && spread.routed <= spread.nodes);
    if (spread.placed > 0)
        fuzz_check(spread.radius_min >= 0 && spread.radius_min <= spread.radius_max &&
                   spread.radius_mean <= spread.radius_max * 1.000001 + 1e-6);
    AUTO_FREE uint8_t *used = calloc(map.gateway_count + 1, 1);
    fuzz_check(used != NULL);
    fuzz_check(node_gateways(&map, set, 1, used) <= map.gateway_count);
    return 0;
}
