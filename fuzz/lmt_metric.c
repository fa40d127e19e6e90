/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_lmt_metric - recordings of LMT's strings: what is understood of them makes
 * grids, and no count is less than nothing.
 */
#include "fuzz/fuzz.h"
#include "source/lmt/lmt.h"

static void hear_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    (void)text;
    fuzz_check(line > 0 && reason != NULL);
    ++*(uint64_t *)arg;
}

static void measure_read(struct lmt_series *series, enum lmt_measure measure)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    struct err err = { 0 };
    int64_t from_s = 0, to_s = 0;
    if (lmt_series_times(series, measure, &from_s, &to_s, &err) < 0)
        return;
    fuzz_check(to_s > from_s);
    /* Times may be far apart: an hour at either end. */
    lmt_grid_init(&grid, to_s - from_s > 3600 && measure % 2 ? to_s - 3600 : from_s,
                  to_s - from_s > 3600 && measure % 2 == 0 ? from_s + 3600 : to_s);
    int rc = lmt_series_read(series, measure, &grid, &err);
    fuzz_check(rc == 0 || rc == -ENOENT || err.text[0] != '\0');
    for (size_t i = 0; rc == 0 && i < grid.row_count * grid.column_count; i++)
        fuzz_check(!(grid.values[i] < 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(lmt_points_free) struct lmt_points *points = NULL;
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    struct span text = { (const char *)data, size };
    uint64_t line = 0, faults = 0;
    const struct lmt_metric_opts opts = { .on_fault = hear_fault, .arg = &faults };
    (void)lmt_metric_is(text);
    fuzz_check(lmt_points_new(&points) == 0);
    fuzz_check(lmt_metric_read(text, &opts, &line, points, NULL) == 0);
    fuzz_check(faults <= line);
    fuzz_check(lmt_series_of_points(points, "x", &series, NULL) == 0);
    points = NULL;
    for (unsigned measure = 0; measure < LMT_MEASURES; measure++)
        measure_read(series, measure);
    return 0;
}
