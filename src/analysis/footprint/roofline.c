/* SPDX-License-Identifier: Apache-2.0 */
/* roofline - operations for each byte of memory, and how fast. */
#include "analysis/footprint/roofline.h"

#include "analysis/footprint/metric_role.h"
#include "analysis/footprint/rate_unit.h"

#include <math.h>

struct plotting {
    const struct node_samples_metric *flops, *bytes; /* NULL: none */
    double flops_scale, bytes_scale;
    size_t windows;
};

/* The best metric of a role that nodes themselves have. */
static const struct node_samples_metric *metric_of_role(const struct node_samples *s,
                                                        enum metric_role role)
{
    const struct node_samples_metric *found = NULL;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < s->metric_count; i++) {
        size_t rank = 0, nodes = 0;
        const struct node_samples_metric *metric = &s->metrics[i];
        if (metric_role_of(metric->name, &rank) != role || rank >= best)
            continue;
        for (size_t k = 0; k < metric->row_count; k++)
            nodes += !metric->rows[k].device[0];
        if (nodes == 0)
            continue;
        found = metric;
        best = rank;
    }
    return found;
}

struct point_sum {
    uint64_t n;
    double flops, bytes;
};

/* No node does as much: such a sample is a fault of its sender. */
#define RATE_MAX 1e24

static bool is_rate(double value)
{
    return value >= 0 && value <= RATE_MAX;
}

static void roofline_row_add(const struct plotting *p, const double *flops,
                             const double *bytes, size_t from, size_t to,
                             struct point_sum *sum)
{
    for (size_t w = from; w < to && w < p->windows; w++) {
        double done = flops[w] * p->flops_scale, moved = bytes[w] * p->bytes_scale;
        if (!is_rate(done) || !is_rate(moved))
            continue;
        sum->n++;
        sum->flops += done;
        sum->bytes += moved;
    }
}

static bool is_before(const struct node_samples_row *a,
                      const struct node_samples_row *b)
{
    return a->host < b->host;
}

/* Rows are by host, and a node's own row is the first of it. */
static struct roofline_point point_make(const struct plotting *p, size_t from,
                                        size_t to, const struct roofline *r)
{
    struct point_sum sum = { 0 };
    for (size_t i = 0, k = 0; i < p->flops->row_count && k < p->bytes->row_count;) {
        const struct node_samples_row *flops = &p->flops->rows[i];
        const struct node_samples_row *bytes = &p->bytes->rows[k];
        if (flops->device[0] || is_before(flops, bytes)) {
            i++;
            continue;
        }
        if (bytes->device[0] || is_before(bytes, flops)) {
            k++;
            continue;
        }
        roofline_row_add(p, flops->values, bytes->values, from, to, &sum);
        i++;
        k++;
    }
    struct roofline_point point = { sum.n, NAN, NAN, NAN, NAN };
    if (sum.n == 0)
        return point;
    point.flops = sum.flops / (double)sum.n;
    point.bytes = sum.bytes / (double)sum.n;
    if (sum.bytes > 0)
        point.intensity = sum.flops / sum.bytes;
    if (r->peak_flops > 0 && r->peak_bytes > 0 && !isnan(point.intensity))
        point.roof = fmin(r->peak_flops, point.intensity * r->peak_bytes);
    return point;
}

static bool units_read(struct plotting *p, struct roofline *r)
{
    const struct {
        enum rate_unit of;
        const struct node_samples_metric *metric;
        double *scale;
    } both[] = { { RATE_FLOPS, p->flops, &p->flops_scale },
                 { RATE_BYTES, p->bytes, &p->bytes_scale } };
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
        const struct node_samples_metric *metric = both[i].metric;
        if (rate_unit_scale(both[i].of, metric->unit, metric->is_counter,
                            both[i].scale) == 0)
            continue;
        r->state = ROOFLINE_NO_UNIT;
        r->odd = metric->name;
        r->odd_unit = metric->unit;
        return false;
    }
    return true;
}

void roofline_make(const struct node_samples *samples, const struct job_phases *phases,
                   struct roofline *ret)
{
    struct plotting p = { .flops = metric_of_role(samples, METRIC_ROLE_FLOPS),
                          .bytes =
                              metric_of_role(samples, METRIC_ROLE_MEMORY_BANDWIDTH),
                          .windows = samples->window_count };
    *ret = (struct roofline){ .job = { 0, NAN, NAN, NAN, NAN } };
    if (!p.flops || !p.bytes)
        return;
    ret->flops = p.flops->name;
    ret->bandwidth = p.bytes->name;
    ret->peak_flops = samples->peak_flops;
    ret->peak_bytes = samples->peak_bytes;
    ret->peakless = samples->peakless;
    if (!units_read(&p, ret))
        return;
    ret->job = point_make(&p, 0, p.windows, ret);
    ret->state = ret->job.n > 0 ? ROOFLINE_KNOWN : ROOFLINE_NO_SAMPLES;
    ret->phase_count = phases->count;
    for (size_t i = 0; i < phases->count; i++)
        ret->phases[i] =
            point_make(&p, phases->items[i].from, phases->items[i].to, ret);
}

double roofline_ridge(const struct roofline *roofline)
{
    return roofline->peak_flops > 0 && roofline->peak_bytes > 0
               ? roofline->peak_flops / roofline->peak_bytes
               : NAN;
}

double roofline_share(const struct roofline_point *point)
{
    return point->roof > 0 ? point->flops / point->roof : NAN;
}
