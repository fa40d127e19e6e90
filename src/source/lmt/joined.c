/* SPDX-License-Identifier: Apache-2.0 */
/* joined - several series as one. */
#include "source/lmt/joined.h"

#include "source/lmt/series_format.h"

struct joined {
    size_t count;
    struct lmt_series *series[];
};

static void joined_close(void *state)
{
    free(state);
}

static int joined_times(void *state, enum lmt_measure measure, int64_t *ret_from_s,
                        int64_t *ret_to_s, struct err *err)
{
    const struct joined *j = state;
    int64_t first_s = INT64_MAX;
    int64_t last_s = INT64_MIN;
    int found = -ENOENT;
    for (size_t i = 0; i < j->count; i++) {
        int64_t from_s = 0;
        int64_t to_s = 0;
        int rc = lmt_series_times(j->series[i], measure, &from_s, &to_s, err);
        if (rc == -ENOENT)
            continue;
        if (rc < 0)
            return rc;
        found = 0;
        first_s = from_s < first_s ? from_s : first_s;
        last_s = to_s > last_s ? to_s : last_s;
    }
    if (found == 0) {
        *ret_from_s = first_s;
        *ret_to_s = last_s;
    }
    return found;
}

static int64_t joined_step(void *state, enum lmt_measure measure)
{
    const struct joined *j = state;
    int64_t step_s = 0;
    for (size_t i = 0; i < j->count && step_s == 0; i++)
        step_s = lmt_series_step(j->series[i], measure);
    return step_s;
}

static int joined_read(void *state, enum lmt_measure measure, struct lmt_grid *grid,
                       struct err *err)
{
    const struct joined *j = state;
    int found = -ENOENT;
    for (size_t i = 0; i < j->count; i++) {
        int rc = lmt_series_read(j->series[i], measure, grid, err);
        if (rc < 0 && rc != -ENOENT)
            return rc;
        found = rc == 0 ? 0 : found;
    }
    return found;
}

int lmt_series_join(struct lmt_series *const *series, size_t count,
                    struct lmt_series **ret, struct err *err)
{
    static const struct lmt_format format = { .close = joined_close,
                                              .times = joined_times,
                                              .step = joined_step,
                                              .read = joined_read };
    if (count == 0)
        return err_set(err, EINVAL, "no series are to be joined");
    struct joined *j = calloc(1, sizeof *j + count * sizeof *series);
    if (!j)
        return err_set(err, ENOMEM, "out of memory");
    j->count = count;
    for (size_t i = 0; i < count; i++)
        j->series[i] = series[i];
    int rc = lmt_series_new(&format, "joined", j, ret, err);
    if (rc < 0)
        free(j);
    return rc;
}
