/* SPDX-License-Identifier: Apache-2.0 */
/* clock_guess - by how much servers' clocks seem to differ from those of jobs. */
#include "client/series/clock_guess.h"

#include <math.h>

int64_t clock_guess_step(const struct series_set *set,
                         const struct series_request *request)
{
    int64_t step_s = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct series_set_file *file = &set->files[i];
        if (series_set_is_of(file, request) && file->step_s > step_s)
            step_s = file->step_s;
    }
    return step_s;
}

/* What all servers moved in each step, read and written; NaN: nothing was measured. */
struct server_sums {
    double *values; /* NULL: unknown */
    size_t count;
    int64_t start_s, step_s;
};

static int sums_add(struct server_sums *sums, const struct lmt_grid *grid,
                    struct err *err)
{
    if (grid->step_s == 0)
        return 0;
    if (!sums->values) {
        sums->values = calloc(grid->row_count + 1, sizeof(double));
        if (!sums->values)
            return err_set(err, ENOMEM, "out of memory");
        sums->count = grid->row_count;
        sums->start_s = grid->start_s;
        sums->step_s = grid->step_s;
    }
    if (sums->count != grid->row_count || sums->start_s != grid->start_s ||
        sums->step_s != grid->step_s)
        return err_set(err, EINVAL,
                       "what was read and what was written have not the "
                       "same steps");
    for (size_t row = 0; row < grid->row_count; row++)
        for (size_t c = 0; c < grid->column_count; c++)
            sums->values[row] += *lmt_grid_at(grid, row, c);
    return 0;
}

static int servers_read(struct series_set *set, const struct series_request *request,
                        struct server_sums *sums, struct err *err)
{
    static const enum lmt_measure measures[] = { LMT_READ_BYTES, LMT_WRITE_BYTES };
    struct lmt_series **series = NULL;
    size_t count = 0;
    int rc = series_set_get(set, request, &series, &count, NULL, err);
    for (size_t m = 0; rc == 0 && m < COUNT_OF(measures); m++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        lmt_grid_init(&grid, request->from_s, request->to_s);
        for (size_t i = 0; i < count && rc == 0; i++) {
            rc = lmt_series_read(series[i], measures[m], &grid, err);
            rc = rc == -ENOENT ? 0 : rc;
        }
        if (rc == 0)
            rc = sums_add(sums, &grid, err);
    }
    return rc;
}

int clock_guess_add(struct clock_estimate *estimate, struct series_set *set,
                    const struct series_request *request, struct job_log *log,
                    struct err *err)
{
    AUTO(job_traffic_done) struct job_traffic job = { 0 };
    struct server_sums sums = { 0 };
    struct series_request window = *request;
    size_t before = estimate->jobs;
    int rc = job_log_traffic(log, &job, err);
    if (rc < 0)
        return rc;
    clock_estimate_window(estimate, &job, &window.from_s, &window.to_s);
    rc = servers_read(set, &window, &sums, err);
    if (rc == 0 && sums.values) {
        rc = clock_estimate_add(estimate, &job, sums.start_s, sums.values, sums.count);
        if (rc < 0)
            (void)err_set(err, -rc, "%s", strerror(-rc));
    }
    free(sums.values);
    if (rc == 0 && estimate->jobs == before)
        rc = err_set(err, ENODATA, "no series has enough of its time");
    return rc;
}

double clock_guess_part(struct series_set *set, const struct series_request *request,
                        double bytes)
{
    struct server_sums sums = { 0 };
    double all = 0;
    int rc = servers_read(set, request, &sums, NULL);
    for (size_t i = 0; i < sums.count; i++)
        all += isnan(sums.values[i]) ? 0 : sums.values[i];
    free(sums.values);
    return rc == 0 && all > 0 ? bytes / all : NAN;
}
