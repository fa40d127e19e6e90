/* SPDX-License-Identifier: Apache-2.0 */
/* footprint_search - what rules share. */
#include "analysis/footprint/footprint_search.h"

#include "analysis/stats/stats.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "model/model.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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

size_t footprint_marks_count(const struct footprint_search *a)
{
    size_t count = 0;
    for (size_t host = 0; host < a->grid->hosts; host++)
        count += a->marks[host];
    return count;
}

void footprint_marks_clear(struct footprint_search *a)
{
    memset(a->marks, 0, a->grid->hosts * sizeof *a->marks);
}

int64_t footprint_window_start(const struct footprint_search *a, size_t window)
{
    const struct node_samples *s = a->grid->samples;
    int64_t from_s = (s->from_ns + (int64_t)window * s->window_ns) / NS_PER_S;
    return from_s < a->ret->to_s ? from_s : a->ret->to_s;
}

const struct node_samples_metric *footprint_metric_of(const struct footprint_search *a,
                                                      enum metric_role role)
{
    return a->grid->metrics[role];
}

bool footprint_is_settled(const struct footprint_search *a, size_t windows,
                          int64_t seconds_min)
{
    return a->job->is_over ||
           (int64_t)windows * a->grid->samples->window_ns >= seconds_min * NS_PER_S;
}

int footprint_report(struct footprint_search *a, struct footprint_finding *finding,
                     enum metric_role role, size_t window)
{
    const struct node_samples_metric *metric = footprint_metric_of(a, role);
    finding->count = footprint_marks_count(a);
    finding->from_s = footprint_window_start(a, window);
    finding->to_s = a->ret->to_s;
    finding->is_so_far = !a->job->is_over;
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

double footprint_median_of(const struct footprint_search *a, enum metric_role role,
                           bool of_marked, size_t window)
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
