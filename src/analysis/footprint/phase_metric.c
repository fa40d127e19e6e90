/* SPDX-License-Identifier: Apache-2.0 */
/* phase_metric - what a metric means for the phases of a run, by its name. */
#include "analysis/footprint/phase_metric.h"

#include "analysis/footprint/metric_role.h"

#include <string.h>

/* Those that metric_role does not know; a better one comes first. */
static const struct {
    const char *name;
    enum phase_kind kind;
} phase_names[] = {
    { "ib_recv", PHASE_KIND_NETWORK_IN },
    { "ib_recv_bw", PHASE_KIND_NETWORK_IN },
    { "ib_xmit", PHASE_KIND_NETWORK_OUT },
    { "ib_xmit_bw", PHASE_KIND_NETWORK_OUT },
    { "opa_recv", PHASE_KIND_NETWORK_IN },
    { "opa_xmit", PHASE_KIND_NETWORK_OUT },
    { "net_bytes_in_bw", PHASE_KIND_NETWORK_IN },
    { "net_bytes_in", PHASE_KIND_NETWORK_IN },
    { "net_bytes_out_bw", PHASE_KIND_NETWORK_OUT },
    { "net_bytes_out", PHASE_KIND_NETWORK_OUT },
    { "lustre_read_bw", PHASE_KIND_READ },
    { "lustre_read_bytes", PHASE_KIND_READ },
    { "lustre_write_bw", PHASE_KIND_WRITE },
    { "lustre_write_bytes", PHASE_KIND_WRITE },
    { "gpfs_bw_read", PHASE_KIND_READ },
    { "gpfs_bytes_read", PHASE_KIND_READ },
    { "gpfs_bw_write", PHASE_KIND_WRITE },
    { "gpfs_bytes_written", PHASE_KIND_WRITE },
    { "gpfs_bw_total", PHASE_KIND_READ_AND_WRITE },
    { "gpfs_bytes_total", PHASE_KIND_READ_AND_WRITE },
    { "nfsio_nread_bw", PHASE_KIND_READ },
    { "nfsio_nread", PHASE_KIND_READ },
    { "nfsio_nwrite_bw", PHASE_KIND_WRITE },
    { "nfsio_nwrite", PHASE_KIND_WRITE },
    { "read_bw", PHASE_KIND_READ },
    { "fs_read_bw", PHASE_KIND_READ },
    { "write_bw", PHASE_KIND_WRITE },
    { "fs_write_bw", PHASE_KIND_WRITE },
    { "file_bw", PHASE_KIND_READ_AND_WRITE },
    { "fs_bw", PHASE_KIND_READ_AND_WRITE },
    { "job_read_bytes", PHASE_KIND_READ },
    { "job_write_bytes", PHASE_KIND_WRITE },
    { "lustre_open", PHASE_KIND_FILES },
    { "lustre_open_diff", PHASE_KIND_FILES },
    { "gpfs_num_opens", PHASE_KIND_FILES },
    { "nfsio_nopen", PHASE_KIND_FILES },
};

/* What is a fact of the node, such as the size of its memory, means nothing; nor do
 * clock and swap, which findings are made of. */
static const enum phase_kind kinds_of_roles[METRIC_ROLE_COUNT] = {
    [METRIC_ROLE_LOAD] = PHASE_KIND_LOAD,
    [METRIC_ROLE_CPU_BUSY] = PHASE_KIND_CPU_BUSY,
    [METRIC_ROLE_FLOPS] = PHASE_KIND_FLOPS,
    [METRIC_ROLE_MEMORY_BANDWIDTH] = PHASE_KIND_MEMORY_BANDWIDTH,
    [METRIC_ROLE_MEMORY_USED] = PHASE_KIND_MEMORY_USED,
    [METRIC_ROLE_NETWORK] = PHASE_KIND_NETWORK_BOTH,
    [METRIC_ROLE_POWER] = PHASE_KIND_POWER,
    [METRIC_ROLE_GPU_BUSY] = PHASE_KIND_GPU_BUSY,
    [METRIC_ROLE_GPU_MEMORY] = PHASE_KIND_GPU_MEMORY,
    [METRIC_ROLE_GPU_POWER] = PHASE_KIND_GPU_POWER,
};

enum phase_kind phase_kind_of(const char *name, size_t *ret_rank)
{
    enum metric_role role = metric_role_of(name, ret_rank);
    if (role != METRIC_ROLE_NONE)
        return kinds_of_roles[role];
    for (size_t i = 0; i < sizeof phase_names / sizeof phase_names[0]; i++) {
        if (strcmp(phase_names[i].name, name) != 0)
            continue;
        *ret_rank = i;
        return phase_names[i].kind;
    }
    return PHASE_KIND_NONE;
}
