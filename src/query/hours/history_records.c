/* SPDX-License-Identifier: Apache-2.0 */
/* history_records - a database as the source of rows. */
#include "query/hours/history.h"

static int readers_find_series(void *arg, const struct series_filter *filter,
                               records_series_fn *fn, void *fn_arg, struct err *err)
{
    const struct history_readers *readers = arg;
    return records_find_series(readers->series, filter, fn, fn_arg, err);
}

static int readers_read_rows(void *arg, const struct row_range *range,
                             records_row_fn *fn, void *fn_arg, struct err *err)
{
    const struct history_readers *readers = arg;
    return records_read_rows(readers->rows, range, fn, fn_arg, err);
}

static int readers_find_names(void *arg, const struct id_name_filter *filter,
                              records_id_name_fn *fn, void *fn_arg, struct err *err)
{
    const struct history_readers *readers = arg;
    return records_find_id_names(readers->series, filter, fn, fn_arg, err);
}

static int readers_extent(void *arg, struct records_extent *ret, struct err *err)
{
    const struct history_readers *readers = arg;
    return records_extent(readers->series, ret, err);
}

static int readers_begin(void *arg, struct err *err)
{
    const struct history_readers *readers = arg;
    return records_reader_begin(readers->rows, err);
}

static void readers_end(void *arg)
{
    const struct history_readers *readers = arg;
    records_reader_end(readers->rows);
}

static int readers_read_hours(void *arg, enum target_kind kind, int64_t from_ms,
                              int64_t to_ms, records_hour_fn *fn, void *fn_arg,
                              struct err *err)
{
    const struct history_readers *readers = arg;
    return records_read_hours(readers->rows, kind, from_ms, to_ms, fn, fn_arg, err);
}

static int readers_read_cells(void *arg, const struct cell_range *range,
                              records_cell_fn *fn, void *fn_arg, struct err *err)
{
    const struct history_readers *readers = arg;
    return records_read_cells(readers->rows, range, fn, fn_arg, err);
}

void history_of_records(struct history_readers *readers, struct history *ret)
{
    *ret = (struct history){ .find_series = readers_find_series,
                             .read_rows = readers_read_rows,
                             .find_names = readers_find_names,
                             .extent = readers_extent,
                             .begin = readers_begin,
                             .end = readers_end,
                             .read_hours = readers_read_hours,
                             .read_cells = readers_read_cells,
                             .arg = readers };
}
