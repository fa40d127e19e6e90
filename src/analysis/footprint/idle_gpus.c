/* SPDX-License-Identifier: Apache-2.0 */
/* idle_gpus - which of a job's GPUs did nothing. */
#include "analysis/footprint/idle_gpus.h"

#include "base/span.h"
#include "base/strbuf.h"

#include <errno.h>
#include <math.h>

#define GPU_BUSY_MAX 5.0

static bool is_gpu_idle(const struct node_grid *g, const struct node_samples_row *row)
{
    /* A node without any work is a finding of its own. */
    return row->device[0] && g->idle_from[row->host] == g->windows &&
           row->samples >= FOOTPRINT_WINDOWS_MIN &&
           node_grid_mean(row->values, 0, g->windows) < FOOTPRINT_GPU_UNUSED &&
           row->max <= GPU_BUSY_MAX;
}

static int gpu_names(struct footprint_search *a,
                     const struct node_samples_metric *metric,
                     struct footprint_finding *f)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    footprint_marks_clear(a);
    for (size_t i = 0; i < metric->row_count; i++) {
        if (!is_gpu_idle(a->grid, &metric->rows[i]))
            continue;
        a->marks[metric->rows[i].host] = true;
        strbuf_addf(&text, "%s%s/%s", text.size > 0 ? " " : "",
                    a->grid->samples->hosts[metric->rows[i].host],
                    metric->rows[i].device);
    }
    f->devices =
        strbuf_error(&text) < 0 ? NULL : arena_dup(a->arena, strbuf_span(&text));
    return f->devices ? 0 : -ENOMEM;
}

/* Windows in which any GPU of the job was used. */
static size_t used_windows(const struct node_grid *g,
                           const struct node_samples_metric *metric)
{
    size_t count = 0;
    for (size_t w = 0; w < g->windows; w++) {
        bool is_used = false;
        for (size_t i = 0; i < metric->row_count && !is_used; i++)
            is_used =
                metric->rows[i].device[0] && metric->rows[i].values[w] > GPU_BUSY_MAX;
        count += is_used;
    }
    return count;
}

/* Of a job that goes on its GPUs may still wait for their data. */
static bool is_beyond_start(const struct footprint_search *a,
                            const struct node_samples_metric *metric)
{
    return footprint_is_settled(a, a->grid->windows, FOOTPRINT_ALONE_S) ||
           footprint_is_settled(a, used_windows(a->grid, metric), FOOTPRINT_SETTLED_S);
}

/* Of GPUs that were not allocated nothing is claimed: where fewer are allocated than
 * the nodes have, so many may be idle. */
int idle_gpus_find(struct footprint_search *a)
{
    const struct node_samples_metric *metric =
        footprint_metric_of(a, METRIC_ROLE_GPU_BUSY);
    size_t devices = 0, idle = 0;
    double sum = 0;
    for (size_t i = 0; metric && i < metric->row_count; i++) {
        const struct node_samples_row *row = &metric->rows[i];
        bool is_idle = is_gpu_idle(a->grid, row);
        devices += row->device[0] && row->samples > 0 &&
                   a->grid->idle_from[row->host] == a->grid->windows;
        idle += is_idle;
        sum += is_idle ? node_grid_mean(row->values, 0, a->grid->windows) : 0;
    }
    /* A job that shares its nodes has some of their GPUs: which is not known. */
    bool is_known = a->job->gpus >= 0 || a->job->has_whole_nodes;
    size_t allocated = a->job->gpus >= 0 ? (size_t)a->job->gpus : devices;
    size_t unallocated = devices > allocated ? devices - allocated : 0;
    if (!is_known || idle <= unallocated || !is_beyond_start(a, metric))
        return 0;
    double unused = (double)(idle - unallocated);
    struct footprint_finding f = {
        .kind = FOOTPRINT_GPU_IDLE,
        .others = devices - idle,
        .value = sum / (double)idle,
        .usual = NAN,
        .threshold = FOOTPRINT_GPU_UNUSED,
        .n = a->grid->windows,
        .low_s = 0,
        .high_s = a->length_s * unused / (double)(devices - unallocated),
        .unused_s = unused * a->length_s,
    };
    int rc = gpu_names(a, metric, &f);
    if (rc == 0)
        rc = footprint_report(a, &f, METRIC_ROLE_GPU_BUSY, 0);
    a->ret->findings[a->ret->finding_count - 1].count = idle - unallocated;
    return rc;
}
