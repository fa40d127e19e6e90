/* SPDX-License-Identifier: Apache-2.0 */
/* metric - the names and units of what is read of a GPU. */
#include "source/gpu/metric.h"

#include "base/cleanup.h"
#include "base/span.h"

/* Of what cc-backend's job views show for any accelerator the names are acc_*. */
const struct gpu_metric_name gpu_metric_names[GPU_METRICS] = {
    [GPU_UTILIZATION] = { "acc_utilization", "%" },
    [GPU_MEMORY_UTILIZATION] = { "nv_mem_util", "%" },
    [GPU_MEMORY_USED] = { "acc_mem_used", "MByte" },
    [GPU_MEMORY_TOTAL] = { "acc_mem_total", "MByte" },
    [GPU_POWER] = { "acc_power", "watts" },
    [GPU_POWER_LIMIT] = { "nv_power_max_limit", "watts" },
    [GPU_TEMPERATURE] = { "nv_temp", "degC" },
    [GPU_FAN] = { "nv_fan", "%" },
    [GPU_CLOCK_GRAPHICS] = { "nv_graphics_clock", "MHz" },
    [GPU_CLOCK_SM] = { "nv_sm_clock", "MHz" },
    [GPU_CLOCK_MEMORY] = { "nv_mem_clock", "MHz" },
    [GPU_CLOCK_VIDEO] = { "nv_video_clock", "MHz" },
    [GPU_ECC_CORRECTED] = { "nv_ecc_corrected_error", "errors" },
    [GPU_ECC_UNCORRECTED] = { "nv_ecc_uncorrected_error", "errors" },
    [GPU_ENCODER] = { "nv_encoder_util", "%" },
    [GPU_DECODER] = { "nv_decoder_util", "%" },
    [GPU_PROCESSES] = { "nv_compute_processes", "" },
};

const struct gpu_metric_name *gpu_metric_find(struct span name)
{
    for (size_t i = 0; i < COUNT_OF(gpu_metric_names); i++)
        if (span_is(name, gpu_metric_names[i].name))
            return &gpu_metric_names[i];
    return NULL;
}
