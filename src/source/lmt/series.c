/* SPDX-License-Identifier: Apache-2.0 */
/* series - a file with what servers measured, open for reading. */
#include "source/lmt/series.h"

#include "source/lmt/database_mysql.h"
#include "source/lmt/series_format.h"

#include <fcntl.h>

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

static int head_read(const char *path, char head[static 16], struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    ssize_t size = read(fd, head, 16);
    if (size < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    memset(head + size, 0, 16 - (size_t)size);
    return 0;
}

int lmt_series_open(const char *path, const struct lmt_opts *opts,
                    struct lmt_series **ret, struct err *err)
{
    static const struct lmt_opts none = { 0 };
    char head[16] = { 0 };
    bool is_mysql = strncmp(path, LMT_MYSQL_PREFIX, strlen(LMT_MYSQL_PREFIX)) == 0;
    int rc = is_mysql ? 0 : head_read(path, head, err);
    if (rc < 0)
        return rc;
    struct lmt_series *series = calloc(1, sizeof *series);
    if (!series)
        return err_set(err, ENOMEM, "out of memory");
    if (is_mysql)
        rc = lmt_mysql_open(path + strlen(LMT_MYSQL_PREFIX), opts ? opts : &none,
                            &series->state, &series->format, err);
    else if (memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0)
        rc = lmt_hdf5_open(path, opts ? opts : &none, &series->state, &series->format,
                           err);
    else if (memcmp(head, "SQLite format 3", 16) == 0)
        rc = lmt_database_open(path, opts ? opts : &none, &series->state,
                               &series->format, err);
    else
        rc = err_set(err, EBADMSG, "%s: neither HDF5 nor SQLite", path);
    if (rc < 0) {
        free(series);
        return rc;
    }
    series->name = series->format->name;
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

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int64_t lmt_step_of(int64_t *times, size_t count)
{
    int64_t best = 0;
    size_t best_count = 0;
    qsort(times, count, sizeof *times, by_value);
    size_t steps = 0;
    for (size_t i = 1; i < count; i++)
        if (times[i] > times[i - 1])
            times[steps++] = times[i] - times[i - 1];
    qsort(times, steps, sizeof *times, by_value);
    for (size_t i = 0; i < steps;) {
        size_t end = i + 1;
        while (end < steps && times[end] == times[i])
            end++;
        if (end - i > best_count) {
            best = times[i];
            best_count = end - i;
        }
        i = end;
    }
    return best;
}
