/* SPDX-License-Identifier: Apache-2.0 */
/* metric_role - what a metric of a node is about, by its name. */
#include "analysis/footprint/metric_role.h"

#include <string.h>

static const struct {
    const char *name;
    enum metric_role role;
} names[] = {
    { "cpu_load", METRIC_ROLE_LOAD },
    { "load_one", METRIC_ROLE_LOAD },
    { "load1", METRIC_ROLE_LOAD },
    { "load", METRIC_ROLE_LOAD },
    { "node_load1", METRIC_ROLE_LOAD },
    { "cpu_busy", METRIC_ROLE_CPU_BUSY },
    { "cpu_user", METRIC_ROLE_CPU_BUSY },
    { "cpu_usage", METRIC_ROLE_CPU_BUSY },
    { "flops_any", METRIC_ROLE_FLOPS },
    { "flops", METRIC_ROLE_FLOPS },
    { "flops_dp", METRIC_ROLE_FLOPS },
    { "flops_sp", METRIC_ROLE_FLOPS },
    { "mem_bw", METRIC_ROLE_MEMORY_BANDWIDTH },
    { "mem_used", METRIC_ROLE_MEMORY_USED },
    { "mem_total", METRIC_ROLE_MEMORY_TOTAL },
    { "memory_bytes", METRIC_ROLE_MEMORY_TOTAL },
    { "swap_used", METRIC_ROLE_SWAP_USED },
    { "net_bw", METRIC_ROLE_NETWORK },
    { "ib_bw", METRIC_ROLE_NETWORK },
    { "ib_total", METRIC_ROLE_NETWORK },
    { "node_power", METRIC_ROLE_POWER },
    { "cpu_power", METRIC_ROLE_POWER },
    { "rapl_power", METRIC_ROLE_POWER },
    { "clock", METRIC_ROLE_CLOCK },
    { "cpu_clock", METRIC_ROLE_CLOCK },
    { "cpufreq", METRIC_ROLE_CLOCK },
    { "acc_utilization", METRIC_ROLE_GPU_BUSY },
    { "acc_util", METRIC_ROLE_GPU_BUSY },
    { "gpu_utilization", METRIC_ROLE_GPU_BUSY },
    { "nv_util", METRIC_ROLE_GPU_BUSY },
    { "acc_mem_used", METRIC_ROLE_GPU_MEMORY },
    { "nv_fb_mem_used", METRIC_ROLE_GPU_MEMORY },
    { "acc_power", METRIC_ROLE_GPU_POWER },
    { "acc_mem_total", METRIC_ROLE_GPU_MEMORY_TOTAL },
    { "nv_fb_mem_total", METRIC_ROLE_GPU_MEMORY_TOTAL },
};

enum metric_role metric_role_of(const char *name, size_t *ret_rank)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i].name, name) != 0)
            continue;
        if (ret_rank)
            *ret_rank = i;
        return names[i].role;
    }
    return METRIC_ROLE_NONE;
}

double metric_unit_scale(const char *unit)
{
    static const char prefixes[] = "kMGTP";
    const char *prefix =
        unit[0] ? strchr(prefixes, unit[0] == 'K' ? 'k' : unit[0]) : NULL;
    if (!prefix || !unit[1])
        return 1;
    double base = unit[1] == 'i' ? 1024 : 1000, scale = base;
    for (const char *p = prefixes; p < prefix; p++)
        scale *= base;
    return scale;
}
