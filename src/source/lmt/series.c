/* SPDX-License-Identifier: Apache-2.0 */
/* series - a file with what servers measured, open for reading. */
#include "source/lmt/series.h"

#include "source/lmt/series_format.h"

struct lmt_series {
    const struct lmt_format *format;
    const char *name; /* of the format */
    void *state;
};

int lmt_series_new(const struct lmt_format *format, const char *name, void *state,
                   struct lmt_series **ret, struct err *err)
{
    struct lmt_series *series = calloc(1, sizeof *series);
    if (!series)
        return err_set(err, ENOMEM, "out of memory");
    *series = (struct lmt_series){ format, name, state };
    *ret = series;
    return 0;
}

void lmt_series_close(struct lmt_series *series)
{
    if (!series)
        return;
    series->format->close(series->state);
    free(series);
}

const char *lmt_series_format(const struct lmt_series *series)
{
    return series->name;
}

int lmt_series_times(struct lmt_series *series, enum lmt_measure measure,
                     int64_t *ret_from_s, int64_t *ret_to_s, struct err *err)
{
    return series->format->times(series->state, measure, ret_from_s, ret_to_s, err);
}

int64_t lmt_series_step(struct lmt_series *series, enum lmt_measure measure)
{
    return series->format->step(series->state, measure);
}

int lmt_series_choose(struct lmt_series *series, const char *fs, struct err *err)
{
    return series->format->choose ? series->format->choose(series->state, fs, err) : 0;
}

int lmt_series_read(struct lmt_series *series, enum lmt_measure measure,
                    struct lmt_grid *grid, struct err *err)
{
    return series->format->read(series->state, measure, grid, err);
}

static int scan_by_measure(struct lmt_series *series, const struct lmt_scan *scan,
                           struct err *err)
{
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        lmt_grid_init(&grid, scan->from_s, scan->to_s);
        int rc = lmt_series_read(series, m, &grid, err);
        if (rc == -ENOENT)
            continue;
        if (rc == 0)
            rc = scan->shape(scan->arg, m, &grid, err);
        if (rc == 0)
            rc = scan->put(scan->arg, m, 0, &grid, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int lmt_series_scan(struct lmt_series *series, enum lmt_scan_way way,
                    const struct lmt_scan *scan, struct err *err)
{
    if (way == LMT_SCAN_AT_ONCE && series->format->scan)
        return series->format->scan(series->state, scan, err);
    return scan_by_measure(series, scan, err);
}
