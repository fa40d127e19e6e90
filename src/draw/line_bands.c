/* SPDX-License-Identifier: Apache-2.0 */
/* line_bands - too many lines for one picture as bands. */
#include "draw/line_bands.h"

#include "analysis/stats/stats.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>

static int point_compare(const void *a, const void *b)
{
    const struct line_plot_point *x = a, *y = b;
    return (x->t_ms > y->t_ms) - (x->t_ms < y->t_ms);
}

static int64_t interval_begin(int64_t t_ms, int64_t width_ms)
{
    int64_t beside_ms = t_ms % width_ms;
    return t_ms - beside_ms - (beside_ms < 0 ? width_ms : 0);
}

int line_bands_make(struct line_plot_point *points, size_t count, int64_t width_ms,
                    struct line_plot_band **ret, size_t *ret_count)
{
    AUTO_FREE double *values = calloc(count + 1, sizeof *values);
    AUTO_FREE struct line_plot_band *bands = calloc(count + 1, sizeof *bands);
    size_t band_count = 0;
    if (!values || !bands)
        return -ENOMEM;
    if (count > 1)
        qsort(points, count, sizeof *points, point_compare);
    for (size_t i = 0; i < count;) {
        int64_t begin_ms = interval_begin(points[i].t_ms, width_ms);
        size_t n = 0;
        for (; i < count && points[i].t_ms - begin_ms < width_ms; i++)
            values[n++] = points[i].value;
        n = numbers_sort(values, n);
        if (n == 0)
            continue;
        bands[band_count++] = (struct line_plot_band){ begin_ms,
                                                       values[0],
                                                       quantile(values, n, 0.25),
                                                       quantile(values, n, 0.5),
                                                       quantile(values, n, 0.75),
                                                       values[n - 1] };
    }
    *ret = TAKE(bands);
    *ret_count = band_count;
    return 0;
}
