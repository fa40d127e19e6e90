/* SPDX-License-Identifier: Apache-2.0 */
/* footprint_rules - what may be the matter with a job's nodes. */
#include "analysis/footprint/footprint_rules.h"

#include "analysis/stats/stats.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "model/model.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define APART_WINDOWS_MIN 3
#define APART_SHARE_MIN 0.85  /* of the windows from its beginning */
#define APART_LENGTH_MIN 0.25 /* of the job's time */
#define WORKING_SHARE 0.3     /* of the peak: below it nodes wait, and differ */
#define OTHERS_SPREAD_MAX 0.15
#define SLOW_HOSTS_SHARE 0.13 /* more of them are no exception */
#define LOAD_EXCESS 4.0
#define LOAD_EXCESS_RATIO 1.08
#define CLOCK_NORMAL 0.92
#define HEAVY_NAMED 0.9 /* of the heaviest */
#define MEMORY_WINDOWS 3
#define GPU_BUSY_MAX 5.0

struct applying {
    const struct node_grid *grid;
    const struct footprint_job *job;
    struct arena *arena;
    struct footprint *ret;
    bool *marks; /* a host each */
    double length_s;
};

const char *footprint_hosts_text(const struct node_samples *samples,
                                 const bool *is_marked, struct arena *arena)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(hostset_free) struct hostset *set = NULL;
    for (size_t i = 0; i < samples->host_count; i++)
        if (is_marked[i])
            strbuf_addf(&list, "%s%s", list.size > 0 ? "," : "", samples->hosts[i]);
    if (strbuf_error(&list) < 0)
        return NULL;
    if (hostset_parse(strbuf_span(&list), &set, NULL) < 0)
        return arena_dup(arena, strbuf_span(&list));
    hostset_print(set, &text);
    return strbuf_error(&text) < 0 ? NULL : arena_dup(arena, strbuf_span(&text));
}

static size_t marks_count(const struct applying *a)
{
    size_t count = 0;
    for (size_t host = 0; host < a->grid->hosts; host++)
        count += a->marks[host];
    return count;
}

static void marks_clear(struct applying *a)
{
    memset(a->marks, 0, a->grid->hosts * sizeof *a->marks);
}

static int64_t window_start_s(const struct applying *a, size_t window)
{
    const struct node_samples *s = a->grid->samples;
    int64_t from_s = (s->from_ns + (int64_t)window * s->window_ns) / NS_PER_S;
    return from_s < a->ret->to_s ? from_s : a->ret->to_s;
}

static const struct node_samples_metric *metric_of(const struct applying *a,
                                                   enum metric_role role)
{
    return a->grid->metrics[role];
}

/* finding has kind and numbers; hosts are the marks. */
static int hosts_report(struct applying *a, struct footprint_finding *finding,
                        enum metric_role role, size_t window)
{
    const struct node_samples_metric *metric = metric_of(a, role);
    finding->count = marks_count(a);
    finding->from_s = window_start_s(a, window);
    finding->to_s = a->ret->to_s;
    finding->metric = metric ? metric->name : "";
    finding->unit = metric ? metric->unit : "";
    finding->nodes = finding->count > 0
                         ? footprint_hosts_text(a->grid->samples, a->marks, a->arena)
                         : "";
    if (!finding->nodes)
        return -ENOMEM;
    if (a->ret->finding_count < FOOTPRINT_FINDINGS_MAX)
        a->ret->findings[a->ret->finding_count++] = *finding;
    return 0;
}

/* The median over the marked hosts, or over the others that work, of their medians. */
static double median_of(const struct applying *a, enum metric_role role, bool of_marked,
                        size_t window)
{
    const struct node_grid *g = a->grid;
    size_t count = 0;
    for (size_t host = 0; host < g->hosts; host++) {
        const double *row = node_grid_row(g, role, host);
        bool is_other = !g->is_master[host] && g->idle_from[host] == g->windows;
        if (!row || a->marks[host] != of_marked || (!of_marked && !is_other))
            continue;
        double median = node_grid_median(g, row, window, g->windows);
        if (!isnan(median))
            g->medians[count++] = median;
    }
    return quantile(g->medians, numbers_sort(g->medians, count), 0.5);
}

/* ---- idle ---- */

static enum metric_role activity_role(const struct applying *a)
{
    return metric_of(a, METRIC_ROLE_LOAD)       ? METRIC_ROLE_LOAD
           : metric_of(a, METRIC_ROLE_CPU_BUSY) ? METRIC_ROLE_CPU_BUSY
                                                : METRIC_ROLE_FLOPS;
}

static int idle_find(struct applying *a)
{
    const struct node_grid *g = a->grid;
    size_t first = g->windows, working = 0;
    double unused_s = 0;
    marks_clear(a);
    for (size_t host = 0; host < g->hosts; host++) {
        if (g->idle_from[host] == g->windows) {
            working += node_grid_row(g, activity_role(a), host) != NULL;
            continue;
        }
        a->marks[host] = true;
        first = g->idle_from[host] < first ? g->idle_from[host] : first;
        unused_s += (double)(a->ret->to_s - window_start_s(a, g->idle_from[host]));
    }
    if (first == g->windows)
        return 0;
    struct footprint_finding f = {
        .kind = FOOTPRINT_IDLE_NODE,
        .others = working,
        .value = median_of(a, activity_role(a), true, first),
        .usual = median_of(a, activity_role(a), false, first),
        .threshold = activity_role(a) == METRIC_ROLE_LOAD ? FOOTPRINT_IDLE_LOAD : NAN,
        .n = g->windows - first,
        .unused_s = unused_s,
        .high_s = unused_s / (double)g->hosts,
    };
    f.low_s = working > 0 ? 0 : f.high_s;
    return hosts_report(a, &f, activity_role(a), first);
}

/* ---- apart from the others ---- */

/* Hosts that work and are no master. */
static bool is_comparable(const struct node_grid *g, enum metric_role role, size_t host)
{
    return node_grid_row(g, role, host) && !g->is_master[host] &&
           g->idle_from[host] == g->windows;
}

static size_t comparable_count(const struct node_grid *g, enum metric_role role)
{
    size_t count = 0;
    for (size_t host = 0; host < g->hosts; host++)
        count += is_comparable(g, role, host);
    return count;
}

static bool is_apart(enum metric_role role, double value, double others)
{
    if (role == METRIC_ROLE_LOAD)
        return value > others + LOAD_EXCESS && value > others * LOAD_EXCESS_RATIO;
    return value < others * FOOTPRINT_SLOW_RATIO;
}

/* The first window from which on it differs from the others to the end; windows: it
 * does not.  g->medians has what all do in each window. */
static size_t apart_from(const struct node_grid *g, enum metric_role role, size_t host,
                         double peak)
{
    const double *row = node_grid_row(g, role, host);
    size_t known = 0, apart = 0, from = g->windows, least = 0;
    for (size_t w = g->windows; w-- > 0;) {
        if (isnan(row[w]) || !(g->medians[w] >= WORKING_SHARE * peak))
            continue;
        known++;
        if (!is_apart(role, row[w], g->medians[w]))
            continue;
        apart++;
        if ((double)apart < APART_SHARE_MIN * (double)known)
            continue;
        from = w;
        least = apart;
    }
    bool is_long = (double)(g->windows - from) >= APART_LENGTH_MIN * (double)g->windows;
    return is_long && least >= APART_WINDOWS_MIN ? from : g->windows;
}

static double peak_of(const struct node_grid *g, enum metric_role role)
{
    double peak = 0;
    for (size_t w = 0; w < g->windows; w++) {
        g->medians[w] = node_grid_others(g, role, w, SIZE_MAX);
        peak = fmax(peak, g->medians[w]);
    }
    return peak;
}

/* Whether those that are not marked differ little. */
static bool is_tight(const struct applying *a, enum metric_role role)
{
    const struct node_grid *g = a->grid;
    size_t count = 0;
    for (size_t host = 0; host < g->hosts; host++)
        if (is_comparable(g, role, host) && !a->marks[host])
            g->medians[count++] =
                node_grid_median(g, node_grid_row(g, role, host), 0, g->windows);
    count = numbers_sort(g->medians, count);
    double median = quantile(g->medians, count, 0.5);
    return count + 1 >= FOOTPRINT_NODES_MIN &&
           quantile(g->medians, count, 0.1) >= median * (1 - OTHERS_SPREAD_MAX) &&
           quantile(g->medians, count, 0.9) <= median * (1 + OTHERS_SPREAD_MAX);
}

/* Mark the few that are apart by this metric.  Returns the first window; windows: there
 * is none. */
static size_t apart_mark(struct applying *a, enum metric_role role)
{
    const struct node_grid *g = a->grid;
    size_t comparable = comparable_count(g, role), first = g->windows;
    double peak = peak_of(g, role);
    marks_clear(a);
    if (comparable < FOOTPRINT_NODES_MIN || !(peak > 0))
        return g->windows;
    for (size_t host = 0; host < g->hosts; host++) {
        size_t from =
            is_comparable(g, role, host) ? apart_from(g, role, host, peak) : g->windows;
        a->marks[host] = from < g->windows;
        first = from < first ? from : first;
    }
    size_t most = (size_t)(SLOW_HOSTS_SHARE * (double)comparable);
    bool is_few = marks_count(a) <= (most > 1 ? most : 1);
    return is_few && marks_count(a) > 0 && is_tight(a, role) ? first : g->windows;
}

/* In lockstep all wait for it; of independent work it only lacks its own part. */
static int slow_report(struct applying *a, enum footprint_cause cause,
                       enum metric_role role, size_t first)
{
    const struct node_grid *g = a->grid;
    double value = median_of(a, role, true, first);
    double usual = median_of(a, role, false, first);
    double lost = role == METRIC_ROLE_LOAD ? 1 - usual / value : 1 - value / usual;
    double seconds = (double)(a->ret->to_s - window_start_s(a, first));
    struct footprint_finding f = {
        .kind = FOOTPRINT_SLOW_NODE,
        .cause = cause,
        .others = comparable_count(g, role) - marks_count(a),
        .value = value,
        .usual = usual,
        .threshold = role == METRIC_ROLE_LOAD ? usual + LOAD_EXCESS
                                              : usual * FOOTPRINT_SLOW_RATIO,
        .n = g->windows - first,
        .low_s = lost * seconds * (double)marks_count(a) / (double)g->hosts,
        .high_s = lost * seconds,
        .unused_s = NAN,
    };
    return hosts_report(a, &f, role, first);
}

/* A lack of flops or bandwidth is the node's doing only where it does not lack work:
 * the others differ little, and it is one of few. */
static int slow_find(struct applying *a)
{
    static const struct {
        enum metric_role role;
        enum footprint_cause cause;
    } rules[] = {
        { METRIC_ROLE_CLOCK, FOOTPRINT_CAUSE_CLOCK },
        { METRIC_ROLE_LOAD, FOOTPRINT_CAUSE_LOAD },
        { METRIC_ROLE_MEMORY_BANDWIDTH, FOOTPRINT_CAUSE_BANDWIDTH },
        { METRIC_ROLE_POWER, FOOTPRINT_CAUSE_POWER },
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        size_t first = apart_mark(a, rules[i].role);
        if (first < a->grid->windows)
            return slow_report(a, rules[i].cause, rules[i].role, first);
    }
    return 0;
}

/* ---- uneven work ---- */

static int uneven_find(struct applying *a)
{
    const struct node_grid *g = a->grid;
    enum metric_role role = metric_of(a, METRIC_ROLE_FLOPS)
                                ? METRIC_ROLE_FLOPS
                                : METRIC_ROLE_MEMORY_BANDWIDTH;
    double sum = 0, most = 0;
    size_t count = comparable_count(g, role);
    marks_clear(a);
    if (count < FOOTPRINT_NODES_MIN)
        return 0;
    for (size_t host = 0; host < g->hosts; host++) {
        double mean = is_comparable(g, role, host)
                          ? node_grid_mean(node_grid_row(g, role, host), 0, g->windows)
                          : 0;
        sum += mean;
        most = fmax(most, mean);
    }
    double mean = sum / (double)count;
    if (!(most >= FOOTPRINT_HEAVY_RATIO * mean) || !(mean > 0))
        return 0;
    for (size_t host = 0; host < g->hosts; host++)
        a->marks[host] = is_comparable(g, role, host) &&
                         node_grid_mean(node_grid_row(g, role, host), 0, g->windows) >=
                             HEAVY_NAMED * most;
    struct footprint_finding f = {
        .kind = FOOTPRINT_UNEVEN_NODES,
        .others = count - marks_count(a),
        .value = most,
        .usual = mean,
        .threshold = FOOTPRINT_HEAVY_RATIO * mean,
        .n = g->windows,
        .low_s = 0,
        .high_s = a->length_s * (1 - mean / most),
        .unused_s = NAN,
    };
    return hosts_report(a, &f, role, 0);
}

/* ---- memory ---- */

/* The most of what three samples after each other have in their middle, as a share of
 * all memory; *ret_window: where that is above the limit first, or windows. */
static double memory_most(const struct node_grid *g, size_t host, size_t *ret_window)
{
    const double *used = node_grid_row(g, METRIC_ROLE_MEMORY_USED, host);
    double total = node_grid_median(g, node_grid_row(g, METRIC_ROLE_MEMORY_TOTAL, host),
                                    0, g->windows);
    const struct node_samples_metric *u = g->metrics[METRIC_ROLE_MEMORY_USED];
    const struct node_samples_metric *t = g->metrics[METRIC_ROLE_MEMORY_TOTAL];
    double last[MEMORY_WINDOWS] = { 0 }, most = NAN;
    size_t count = 0;
    *ret_window = g->windows;
    if (!used || !(total > 0))
        return NAN;
    double scale = metric_unit_scale(u->unit) / metric_unit_scale(t->unit) / total;
    for (size_t w = 0; w < g->windows; w++) {
        if (isnan(used[w]))
            continue;
        last[count++ % MEMORY_WINDOWS] = used[w] * scale;
        double sorted[MEMORY_WINDOWS] = { last[0], last[1], last[2] };
        (void)numbers_sort(sorted, MEMORY_WINDOWS);
        if (count < MEMORY_WINDOWS)
            continue;
        most = fmax(most, sorted[1]);
        if (sorted[1] >= FOOTPRINT_MEMORY_LIMIT && *ret_window == g->windows)
            *ret_window = w;
    }
    return most;
}

static int memory_find(struct applying *a)
{
    const struct node_grid *g = a->grid;
    const struct node_samples_metric *total = metric_of(a, METRIC_ROLE_MEMORY_TOTAL);
    size_t first = g->windows;
    double most = NAN;
    marks_clear(a);
    for (size_t host = 0; host < g->hosts; host++) {
        size_t window = g->windows;
        double share = memory_most(g, host, &window);
        a->marks[host] = window < g->windows;
        most = fmax(most, share);
        first = window < first ? window : first;
    }
    bool is_killed = a->job->is_out_of_memory;
    if (first == g->windows && !is_killed)
        return 0;
    struct footprint_finding f = {
        .kind = FOOTPRINT_MEMORY_LIMIT_REACHED,
        .value = most * 100,
        .usual = NAN,
        .threshold = FOOTPRINT_MEMORY_LIMIT * 100,
        .n = g->windows - first,
        .low_s = is_killed ? a->length_s : NAN,
        .high_s = is_killed ? a->length_s : NAN,
        .unused_s = NAN,
    };
    int rc =
        hosts_report(a, &f, METRIC_ROLE_MEMORY_USED, first < g->windows ? first : 0);
    struct footprint_finding *last = &a->ret->findings[a->ret->finding_count - 1];
    last->unit = total ? "%" : "";
    return rc;
}

/* By what the flops became less. */
static double swap_loss(const struct applying *a, size_t window)
{
    double before = 0, after = 0;
    for (size_t host = 0; host < a->grid->hosts; host++) {
        const double *row = node_grid_row(a->grid, METRIC_ROLE_FLOPS, host);
        if (!a->marks[host] || !row)
            continue;
        before += node_grid_median(a->grid, row, 0, window);
        after += node_grid_median(a->grid, row, window, a->grid->windows);
    }
    return before > 0 ? fmax(0, 1 - after / before) : NAN;
}

static int swap_find(struct applying *a, bool *ret_found)
{
    const struct node_grid *g = a->grid;
    const struct node_samples_metric *metric = metric_of(a, METRIC_ROLE_SWAP_USED);
    size_t first = g->windows;
    marks_clear(a);
    *ret_found = false;
    for (size_t host = 0; metric && host < g->hosts; host++) {
        const double *row = node_grid_row(g, METRIC_ROLE_SWAP_USED, host);
        double scale = metric_unit_scale(metric->unit);
        double at_end =
            node_grid_median(g, row, g->windows - (g->windows + 3) / 4, g->windows);
        double base = node_grid_median(g, row, 0, (g->windows + 7) / 8);
        base = isnan(base) ? 0 : base;
        a->marks[host] = (at_end - base) * scale >= FOOTPRINT_SWAP_BYTES;
        for (size_t w = 0; a->marks[host] && w < g->windows && w < first; w++)
            if ((row[w] - base) * scale >= FOOTPRINT_SWAP_BYTES / 2)
                first = w;
    }
    if (!metric || marks_count(a) == 0)
        return 0;
    *ret_found = true;
    double seconds = (double)(a->ret->to_s - window_start_s(a, first));
    struct footprint_finding f = {
        .kind = FOOTPRINT_SWAPPING,
        .value = median_of(a, METRIC_ROLE_SWAP_USED, true, first),
        .usual = NAN,
        .threshold = FOOTPRINT_SWAP_BYTES / metric_unit_scale(metric->unit),
        .n = g->windows - first,
        .low_s = 0,
        .high_s = seconds * swap_loss(a, first),
        .unused_s = NAN,
    };
    f.low_s = isnan(f.high_s) ? NAN : 0;
    return hosts_report(a, &f, METRIC_ROLE_SWAP_USED, first);
}

/* ---- GPUs ---- */

static bool is_gpu_idle(const struct node_grid *g, const struct node_samples_row *row)
{
    return row->device[0] && row->samples >= APART_WINDOWS_MIN &&
           node_grid_mean(row->values, 0, g->windows) < FOOTPRINT_GPU_UNUSED &&
           row->max <= GPU_BUSY_MAX;
}

static int gpu_names(struct applying *a, const struct node_samples_metric *metric,
                     struct footprint_finding *f)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    marks_clear(a);
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

/* Of GPUs that were not allocated nothing is claimed: where fewer are allocated than
 * the nodes have, so many may be idle. */
static int gpu_find(struct applying *a)
{
    const struct node_samples_metric *metric = metric_of(a, METRIC_ROLE_GPU_BUSY);
    size_t devices = 0, idle = 0;
    double sum = 0;
    for (size_t i = 0; metric && i < metric->row_count; i++) {
        const struct node_samples_row *row = &metric->rows[i];
        bool is_idle = is_gpu_idle(a->grid, row);
        devices += row->device[0] && row->samples > 0;
        idle += is_idle;
        sum += is_idle ? node_grid_mean(row->values, 0, a->grid->windows) : 0;
    }
    size_t allocated = a->job->gpus >= 0 ? (size_t)a->job->gpus : devices;
    size_t unallocated = devices > allocated ? devices - allocated : 0;
    if (idle <= unallocated)
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
        rc = hosts_report(a, &f, METRIC_ROLE_GPU_BUSY, 0);
    a->ret->findings[a->ret->finding_count - 1].count = idle - unallocated;
    return rc;
}

/* ---- all ---- */

int footprint_rules_apply(const struct node_grid *grid, const struct footprint_job *job,
                          struct arena *arena, struct footprint *ret)
{
    struct applying a = {
        grid, job, arena, ret, NULL, (double)(ret->to_s - ret->from_s)
    };
    bool is_swapping = false;
    a.marks = arena_alloc(arena, (grid->hosts + 1) * sizeof *a.marks);
    if (!a.marks)
        return -ENOMEM;
    int rc = idle_find(&a);
    if (rc == 0)
        rc = swap_find(&a, &is_swapping);
    if (rc == 0 && !is_swapping)
        rc = memory_find(&a);
    if (rc == 0)
        rc = gpu_find(&a);
    size_t before = ret->finding_count;
    if (rc == 0 && !is_swapping)
        rc = slow_find(&a);
    if (rc == 0 && !is_swapping && ret->finding_count == before)
        rc = uneven_find(&a);
    return rc;
}
