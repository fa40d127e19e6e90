/* SPDX-License-Identifier: Apache-2.0 */
/* node_medians - a metric as one series: in each window its median over the nodes. */
#include "analysis/footprint/node_medians.h"

#include "analysis/stats/stats.h"

#include <math.h>

/* Rows of the median: nodes where there are any, else devices. */
static size_t median_rows(const struct node_samples *samples,
                          const struct node_samples_metric *metric,
                          const double *ret[static NODE_MEDIANS_ROWS_MAX])
{
    size_t nodes = 0, count = 0, seen = 0;
    for (size_t i = 0; i < metric->row_count; i++)
        nodes += metric->rows[i].samples > 0 && !metric->rows[i].device[0];
    size_t every = (nodes > 0 ? nodes : metric->row_count) / NODE_MEDIANS_ROWS_MAX + 1;
    for (size_t i = 0; i < metric->row_count; i++) {
        const struct node_samples_row *row = &metric->rows[i];
        bool is_it = row->samples > 0 && row->host < samples->host_count &&
                     (nodes == 0 || !row->device[0]);
        if (is_it && seen++ % every == 0 && count < NODE_MEDIANS_ROWS_MAX)
            ret[count++] = row->values;
    }
    return count;
}

void node_medians_make(const struct node_samples *samples,
                       const struct node_samples_metric *metric, double *ret)
{
    const double *rows[NODE_MEDIANS_ROWS_MAX];
    double numbers[NODE_MEDIANS_ROWS_MAX];
    size_t row_count = median_rows(samples, metric, rows);
    for (size_t w = 0; w < samples->window_count; w++) {
        size_t known = 0;
        for (size_t i = 0; i < row_count; i++)
            if (isfinite(rows[i][w]))
                numbers[known++] = rows[i][w];
        ret[w] = 2 * known >= row_count ? numbers_median(numbers, known) : NAN;
    }
}
