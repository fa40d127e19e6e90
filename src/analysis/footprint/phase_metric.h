/* SPDX-License-Identifier: Apache-2.0 */
/* phase_metric - what a metric means for the phases of a run, by its name as collectors
 * write it.
 *
 * The names are those of cc-metric-collector, of ClusterCockpit's example clusters and
 * of baro-agent; where a node has several metrics of one kind the earlier one of the
 * table is used.
 */
#ifndef ANALYSIS_FOOTPRINT_PHASE_METRIC_H
#define ANALYSIS_FOOTPRINT_PHASE_METRIC_H

#include <stddef.h>

enum phase_kind {
    PHASE_KIND_NONE,
    PHASE_KIND_LOAD,
    PHASE_KIND_CPU_BUSY, /* percent */
    PHASE_KIND_FLOPS,
    PHASE_KIND_MEMORY_BANDWIDTH,
    PHASE_KIND_MEMORY_USED,
    PHASE_KIND_POWER,
    PHASE_KIND_GPU_BUSY, /* percent */
    PHASE_KIND_GPU_MEMORY,
    PHASE_KIND_GPU_POWER,
    PHASE_KIND_NETWORK_BOTH, /* bytes, in both directions */
    PHASE_KIND_NETWORK_IN,
    PHASE_KIND_NETWORK_OUT,
    PHASE_KIND_READ, /* bytes of files, from this row on */
    PHASE_KIND_WRITE,
    PHASE_KIND_READ_AND_WRITE,
    PHASE_KIND_FILES, /* opened, created: requests of metadata */
    PHASE_KIND_COUNT,
};

/* PHASE_KIND_NONE: none is known.  *ret_rank: the less the better of several of a
 * kind. */
enum phase_kind phase_kind_of(const char *name, size_t *ret_rank);

#endif
