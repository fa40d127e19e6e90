/* SPDX-License-Identifier: Apache-2.0 */
/* metric_role - what a metric of a node is about, by its name as collectors write it.
 *
 * The names are those of cc-metric-collector and of baro-agent; where a node has
 * several metrics of one role the earlier one of the table is used.
 */
#ifndef ANALYSIS_FOOTPRINT_METRIC_ROLE_H
#define ANALYSIS_FOOTPRINT_METRIC_ROLE_H

#include <stddef.h>

enum metric_role {
    METRIC_ROLE_NONE,
    METRIC_ROLE_LOAD,
    METRIC_ROLE_CPU_BUSY, /* percent */
    METRIC_ROLE_FLOPS,
    METRIC_ROLE_MEMORY_BANDWIDTH,
    METRIC_ROLE_MEMORY_USED,
    METRIC_ROLE_MEMORY_TOTAL,
    METRIC_ROLE_SWAP_USED,
    METRIC_ROLE_NETWORK,
    METRIC_ROLE_POWER,
    METRIC_ROLE_CLOCK,
    METRIC_ROLE_GPU_BUSY, /* percent */
    METRIC_ROLE_GPU_MEMORY,
    METRIC_ROLE_GPU_POWER,
    METRIC_ROLE_GPU_MEMORY_TOTAL,
    METRIC_ROLE_COUNT,
};

/* METRIC_ROLE_NONE: none is known.  *ret_rank, which may be NULL: the less the better
 * of several metrics of a role. */
enum metric_role metric_role_of(const char *name, size_t *ret_rank);

/* What a value of the unit is worth: 1024 of "KiB", 1e9 of "GB/s"; 1 of an unknown
 * one. */
double metric_unit_scale(const char *unit);

#endif
