/* SPDX-License-Identifier: Apache-2.0 */
/* server_metrics - what an agent sends of its server, and of the jobs of its node, as
 * metrics: names, units, kinds. */
#include "daemon/server_metrics.h"

#include "base/span.h"

#include "model/model.h"

#define QUANTILES(name, unit)                              \
    { "lustre_brw_" name "_p50", unit, false, false },     \
        { "lustre_brw_" name "_p90", unit, false, false }, \
    {                                                      \
        "lustre_brw_" name "_p99", unit, false, false      \
    }
#define BOTH_WAYS(name, unit) \
    QUANTILES(name "_read", unit), QUANTILES(name "_write", unit)

static const struct server_metric metrics[] = {
    { "lustre_read_bytes", "B", true, true },
    { "lustre_write_bytes", "B", true, true },
#define X(id, name, mdt, ost, sum)                 \
    { "lustre_" name "_samples", "", true, true }, \
        { "lustre_" name "_usecs", "us", true, true },
    OP_TABLE(X)
#undef X
        { "lustre_capacity_bytes", "B", false, true },
    { "lustre_free_bytes", "B", false, true },
    { "lustre_available_bytes", "B", false, true },
    { "lustre_fullness", "%", false, false },
    { "lustre_files_total", "", false, true },
    { "lustre_files_free", "", false, true },
    { "lustre_exports", "", false, false },
    { "lustre_changelog_index", "", true, true },
    { "lustre_changelog_users", "", false, true },
    { "lustre_changelog_lag", "", false, false },
    { "lustre_changelog_idle_seconds", "s", false, false },
    BOTH_WAYS("io_bytes", "B"),
    BOTH_WAYS("io_ms", "ms"),
    BOTH_WAYS("io_in_flight", ""),
    BOTH_WAYS("bulk_pages", ""),
    { "lustre_user_bytes", "B", false, true },
    { "lustre_user_inodes", "", false, true },
    { "lustre_group_bytes", "B", false, true },
    { "lustre_group_inodes", "", false, true },
    { "lustre_project_bytes", "B", false, true },
    { "lustre_project_inodes", "", false, true },
    { "server_cpu_busy", "%", false, false },
    { "server_cpu_iowait", "%", false, false },
    { "server_load", "", false, false },
    { "server_memory_bytes", "B", false, true },
    { "server_memory_available_bytes", "B", false, true },
    { "job_cpu_used", "%", false, true },
    { "job_mem_used", "B", false, true },
    { "job_read_bytes", "B", true, true },
    { "job_write_bytes", "B", true, true },
    { "job_pids", "", false, true },
};

const struct server_metric *server_metric_at(size_t index)
{
    return index < COUNT_OF(metrics) ? &metrics[index] : NULL;
}

const struct server_metric *server_metric_find(struct span name)
{
    for (size_t i = 0; i < COUNT_OF(metrics); i++) {
        if (span_is(name, metrics[i].name))
            return &metrics[i];
    }
    return NULL;
}
