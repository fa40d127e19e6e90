/* SPDX-License-Identifier: Apache-2.0 */
/* metric - the names and units of what is read of a GPU. */
#ifndef SOURCE_GPU_METRIC_H
#define SOURCE_GPU_METRIC_H

#include "base/span_type.h"

enum gpu_metric {
    GPU_UTILIZATION,
    GPU_MEMORY_UTILIZATION,
    GPU_MEMORY_USED,
    GPU_MEMORY_TOTAL,
    GPU_POWER,
    GPU_POWER_LIMIT,
    GPU_TEMPERATURE,
    GPU_FAN,
    GPU_CLOCK_GRAPHICS,
    GPU_CLOCK_SM,
    GPU_CLOCK_MEMORY,
    GPU_CLOCK_VIDEO,
    GPU_ECC_CORRECTED,
    GPU_ECC_UNCORRECTED,
    GPU_ENCODER,
    GPU_DECODER,
    GPU_PROCESSES,
    GPU_METRICS,
};

struct gpu_metric_name {
    const char *name, *unit;
};

extern const struct gpu_metric_name gpu_metric_names[GPU_METRICS];

/* NULL: there is no such metric. */
const struct gpu_metric_name *gpu_metric_find(struct span name);

#endif
