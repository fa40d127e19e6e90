/* SPDX-License-Identifier: Apache-2.0 */
/* job_use - what a job used on each of its nodes of what it was given there. */
#include "analysis/footprint/job_use.h"

#include "analysis/footprint/metric_role.h"
#include "analysis/footprint/node_grid.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define DEVICE_PREFIX "accelerator:"
/* An average of a node that was observed over less of the job is no average of it. */
#define OBSERVED_SHARE_MIN 0.5
#define WINDOWS_FEW 4 /* a site may sample every minute or two: any sample will do */

struct using
{
    const struct job_use_evidence *in;
    struct arena *arena;
    const struct node_samples_metric *metrics[METRIC_ROLE_COUNT];
    const struct node_samples_row **rows; /* [role * hosts + host], without devices */
    double *weights;                      /* a host each */
    struct node_use *nodes;
};

/* ---- metrics by what they are about ---- */

static void metrics_choose(struct using *u)
{
    const struct node_samples *samples = u->in->samples;
    size_t ranks[METRIC_ROLE_COUNT] = { 0 };
    for (size_t i = 0; i < samples->metric_count; i++) {
        const struct node_samples_metric *metric = &samples->metrics[i];
        size_t rank = 0;
        enum metric_role role = metric_role_of(metric->name, &rank);
        if (role == METRIC_ROLE_NONE || metric->is_counter ||
            (u->metrics[role] && ranks[role] <= rank))
            continue;
        u->metrics[role] = metric;
        ranks[role] = rank;
    }
    for (size_t role = 0; role < METRIC_ROLE_COUNT; role++) {
        const struct node_samples_metric *metric = u->metrics[role];
        for (size_t i = 0; metric && i < metric->row_count; i++)
            if (!metric->rows[i].device[0])
                u->rows[role * samples->host_count + metric->rows[i].host] =
                    &metric->rows[i];
    }
}

/* Of a node that the job had alone. */
static const struct node_samples_row *own_row(const struct using *u,
                                              enum metric_role role, size_t host)
{
    return u->in->is_shared[host] ? NULL
                                  : u->rows[role * u->in->samples->host_count + host];
}

static bool spans_job(const struct node_samples *samples,
                      const struct node_samples_row *row)
{
    size_t first = SIZE_MAX, last = 0;
    for (size_t w = 0; w < samples->window_count; w++) {
        if (isnan(row->values[w]))
            continue;
        first = first == SIZE_MAX ? w : first;
        last = w;
    }
    return first != SIZE_MAX &&
           (samples->window_count <= WINDOWS_FEW ||
            (double)(last - first + 1) >=
                OBSERVED_SHARE_MIN * (double)samples->window_count);
}

static double row_mean(const struct using *u, const struct node_samples_row *row)
{
    return row && spans_job(u->in->samples, row)
               ? node_grid_mean(row->values, 0, u->in->samples->window_count)
               : NAN;
}

static double row_max(const struct using *u, enum metric_role role,
                      const struct node_samples_row *row)
{
    return row && spans_job(u->in->samples, row)
               ? row->max * metric_unit_scale(u->metrics[role]->unit)
               : NAN;
}

static double given(const struct using *u, enum job_resource what)
{
    const struct job_resources *r = u->in->resources;
    return job_resource_known(r, what) && r->value[what] > 0 ? (double)r->value[what]
                                                             : NAN;
}

/* ---- CPUs ---- */

/* The record has the sum: Slurm gives equal parts where a job does not request
 * otherwise. */
static void cpus_set(struct using *u)
{
    size_t hosts = u->in->samples->host_count;
    double all = given(u, JOB_CPUS);
    for (size_t i = 0; i < hosts && !isnan(all); i++)
        u->nodes[i].cpus = (uint64_t)all / hosts + (i < (uint64_t)all % hosts);
}

static bool weights_set(struct using *u, enum metric_role role)
{
    for (size_t i = 0; i < u->in->samples->host_count; i++) {
        u->weights[i] = row_mean(u, own_row(u, role, i));
        if (isnan(u->weights[i]) || u->weights[i] < 0)
            return false;
    }
    return true;
}

/* What all of them used is known; which node used how much is in the metrics. */
static bool cpu_time_divide(struct using *u, double all_s)
{
    size_t hosts = u->in->samples->host_count;
    double sum = 0;
    if (hosts == 1) {
        u->nodes[0].cpu_s = all_s;
        return true;
    }
    if (!weights_set(u, METRIC_ROLE_CPU_BUSY) && !weights_set(u, METRIC_ROLE_LOAD))
        return false;
    for (size_t i = 0; i < hosts; i++)
        sum += u->weights[i];
    for (size_t i = 0; i < hosts; i++)
        u->nodes[i].cpu_s =
            sum > 0 ? all_s * u->weights[i] / sum : all_s / (double)hosts;
    return true;
}

/* A time of 0 was not measured.  A load is how many threads ran: of a node that is the
 * job's, its own. */
static void cpu_time_set(struct using *u)
{
    double elapsed_s = (double)u->in->elapsed_s;
    double all_s = given(u, JOB_CPU_TIME_MS) / MS_PER_S;
    bool is_divided = !isnan(all_s) && cpu_time_divide(u, all_s);
    for (size_t i = 0; i < u->in->samples->host_count; i++) {
        struct node_use *node = &u->nodes[i];
        if (!is_divided)
            node->cpu_s = row_mean(u, own_row(u, METRIC_ROLE_LOAD, i)) * elapsed_s;
        node->cpu_s = isnan(node->cpu_s)
                          ? NAN
                          : fmin(node->cpu_s, (double)node->cpus * elapsed_s);
    }
}

/* ---- memory ---- */

static void memory_set(struct using *u)
{
    size_t hosts = u->in->samples->host_count;
    double all = given(u, JOB_MEMORY_BYTES), peak = given(u, JOB_MEMORY_PEAK_BYTES);
    for (size_t i = 0; i < hosts; i++) {
        struct node_use *node = &u->nodes[i];
        double total = row_max(u, METRIC_ROLE_MEMORY_TOTAL,
                               own_row(u, METRIC_ROLE_MEMORY_TOTAL, i));
        double used =
            row_max(u, METRIC_ROLE_MEMORY_USED, own_row(u, METRIC_ROLE_MEMORY_USED, i));
        if (hosts == 1 && !isnan(peak))
            used = peak;
        node->memory_bytes = isnan(all) ? total : floor(all / (double)hosts);
        node->memory_used_bytes = isnan(used) ? NAN : fmin(used, node->memory_bytes);
    }
}

/* ---- GPUs ---- */

/* The row of the same device, which is near the same index. */
static const struct node_samples_row *device_row(const struct node_samples_metric *m,
                                                 const struct node_samples_row *like,
                                                 size_t *cursor)
{
    while (m && *cursor < m->row_count && m->rows[*cursor].host < like->host)
        ++*cursor;
    for (size_t i = *cursor; m && i < m->row_count && m->rows[i].host == like->host;
         i++)
        if (strcmp(m->rows[i].device, like->device) == 0)
            return &m->rows[i];
    return NULL;
}

static size_t devices_count(const struct node_samples_metric *metric)
{
    size_t count = 0;
    for (size_t i = 0; metric && i < metric->row_count; i++)
        count += metric->rows[i].device[0] != '\0';
    return count;
}

/* Where the nodes have more GPUs than the job was given, it is not known which were
 * its. */
static int gpus_set(struct using *u)
{
    const struct node_samples_metric *busy = u->metrics[METRIC_ROLE_GPU_BUSY];
    size_t count = devices_count(busy), used_at = 0, total_at = 0, next = 0;
    struct gpu_use *gpus = arena_alloc(u->arena, (count + 1) * sizeof *gpus);
    if (!gpus)
        return -ENOMEM;
    if ((double)count != given(u, JOB_GPUS))
        return 0;
    for (size_t i = 0; i < busy->row_count; i++) {
        const struct node_samples_row *row = &busy->rows[i];
        struct node_use *node = &u->nodes[row->host];
        if (strncmp(row->device, DEVICE_PREFIX, sizeof DEVICE_PREFIX - 1) != 0)
            continue;
        gpus[next] = (struct gpu_use){
            row->device + sizeof DEVICE_PREFIX - 1, row_mean(u, row),
            row_max(
                u, METRIC_ROLE_GPU_MEMORY_TOTAL,
                device_row(u->metrics[METRIC_ROLE_GPU_MEMORY_TOTAL], row, &total_at)),
            row_max(u, METRIC_ROLE_GPU_MEMORY,
                    device_row(u->metrics[METRIC_ROLE_GPU_MEMORY], row, &used_at))
        };
        node->gpus = node->gpu_count++ == 0 ? &gpus[next] : node->gpus;
        next++;
    }
    return 0;
}

/* ---- the whole ---- */

static bool is_known(const struct node_use *node)
{
    return node->cpus > 0 && node->memory_bytes > 0 &&
           !isnan(node->memory_used_bytes) && !isnan(node->cpu_s);
}

static bool gpu_is_known(const struct gpu_use *gpu)
{
    return !isnan(gpu->busy_percent) && gpu->memory_bytes > 0 &&
           !isnan(gpu->memory_used_bytes);
}

static void known_choose(const struct using *u, struct job_use *ret)
{
    for (size_t i = 0; i < u->in->samples->host_count; i++) {
        const struct node_use *node = &u->nodes[i];
        if (!is_known(node))
            continue;
        for (size_t j = 0; j < node->gpu_count; j++)
            ret->gpus += gpu_is_known(&node->gpus[j]);
        u->nodes[ret->node_count++] = *node;
    }
}

int job_use_make(const struct job_use_evidence *evidence, struct arena *arena,
                 struct job_use *ret)
{
    size_t hosts = evidence->samples->host_count;
    struct using u = { .in = evidence, .arena = arena };
    u.rows = arena_alloc(arena, (METRIC_ROLE_COUNT * hosts + 1) * sizeof(void *));
    u.weights = arena_alloc(arena, (hosts + 1) * sizeof *u.weights);
    u.nodes = arena_alloc(arena, (hosts + 1) * sizeof *u.nodes);
    if (!u.rows || !u.weights || !u.nodes)
        return -ENOMEM;
    for (size_t i = 0; i < hosts; i++)
        u.nodes[i].host = evidence->samples->hosts[i];
    metrics_choose(&u);
    cpus_set(&u);
    cpu_time_set(&u);
    memory_set(&u);
    int rc = gpus_set(&u);
    if (rc < 0)
        return rc;
    struct job_use use = { .elapsed_s = evidence->elapsed_s, .nodes = u.nodes };
    known_choose(&u, &use);
    *ret = use;
    return 0;
}
