/* SPDX-License-Identifier: Apache-2.0 */
/* metric_total - each metric of a job over all its nodes and the whole of its time. */
#include "analysis/footprint/metric_total.h"

#include <math.h>

/* One row over its windows. */
struct row_total {
    size_t observed; /* windows */
    double sum, min, max;
};

static struct row_total row_total_make(const struct node_samples *samples,
                                       const struct node_samples_metric *metric,
                                       const struct node_samples_row *row)
{
    struct row_total ret = { .min = NAN, .max = NAN };
    for (size_t i = 0; i < samples->window_count; i++) {
        if (!isfinite(row->values[i]))
            continue;
        ret.observed++;
        ret.sum += row->values[i];
        ret.min = fmin(ret.min, row->values[i]);
        ret.max = fmax(ret.max, row->values[i]);
    }
    if (ret.observed > 0 && !metric->is_counter && !row->is_of_parts) {
        ret.min = isfinite(row->min) ? row->min : ret.min;
        ret.max = isfinite(row->max) ? row->max : ret.max;
    }
    return ret;
}

static double row_covered(const struct node_samples *samples,
                          const struct node_samples_metric *metric,
                          const struct node_samples_row *row,
                          const struct row_total *total)
{
    double time_ns = (double)(samples->to_ns - samples->from_ns);
    double seen_ns = metric->step_ns > 0
                         ? (double)row->samples * (double)metric->step_ns
                         : (double)total->observed * (double)samples->window_ns;
    return total->observed == 0 || seen_ns <= 0 ? 0 : fmin(1, seen_ns / time_ns);
}

/* Rows are by host: those of its devices are together one node. */
void metric_total_make(const struct node_samples *samples,
                       const struct node_samples_metric *metric,
                       struct metric_total *ret)
{
    struct metric_total total = { .mean = NAN, .min = NAN, .max = NAN, .sum = NAN };
    double sum = 0, added = 0, covered = 0;
    size_t values = 0, whole = 0; /* windows; rows that have any */
    for (size_t i = 0; i < metric->row_count;) {
        size_t host = metric->rows[i].host, rows = 0, seen = 0;
        double of_host = 0;
        for (; i < metric->row_count && metric->rows[i].host == host; i++, rows++) {
            const struct row_total row =
                row_total_make(samples, metric, &metric->rows[i]);
            of_host += row_covered(samples, metric, &metric->rows[i], &row);
            if (row.observed == 0)
                continue;
            seen++;
            values += row.observed;
            sum += row.sum;
            added += row.sum / (double)row.observed;
            total.min = fmin(total.min, row.min);
            total.max = fmax(total.max, row.max);
        }
        total.observed += seen > 0;
        whole += seen == rows;
        covered += of_host / (double)rows;
    }
    if (samples->host_count > 0)
        total.covered = fmin(1, covered / (double)samples->host_count);
    if (values > 0)
        total.mean = sum / (double)values;
    if (values > 0 && metric->is_summed && whole == samples->host_count)
        total.sum = added;
    *ret = total;
}

void metric_total_cover(const struct node_samples *samples,
                        const struct node_samples_metric *metric, double *covered)
{
    for (size_t i = 0; i < metric->row_count; i++) {
        const struct node_samples_row *row = &metric->rows[i];
        const struct row_total total = row_total_make(samples, metric, row);
        covered[row->host] =
            fmax(covered[row->host], row_covered(samples, metric, row, &total));
    }
}

void metric_total_of_all(const double *covered, size_t host_count,
                         struct metric_total *ret)
{
    struct metric_total total = { .mean = NAN, .min = NAN, .max = NAN, .sum = NAN };
    for (size_t i = 0; i < host_count; i++) {
        total.observed += covered[i] > 0;
        total.covered += covered[i] / (double)host_count;
    }
    total.covered = fmin(1, total.covered);
    *ret = total;
}
