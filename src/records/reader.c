/* SPDX-License-Identifier: Apache-2.0 */
/* reader - one reading connection: series, rows, the extent. */
#include "records/reader.h"

#include "records/transaction.h"

static int reader_stopped(void *arg)
{
    struct records_reader *reader = arg;
    if (reader->stopped == 0 && reader->watch)
        reader->stopped = reader->watch(reader->watch_arg);
    return reader->stopped;
}

void records_reader_watch(struct records_reader *reader, records_watch_fn *fn,
                          void *arg)
{
    reader->watch = fn;
    reader->watch_arg = arg;
    reader->stopped = 0;
    reader->engine->reader_watch(reader->reader, fn ? reader_stopped : NULL, reader);
}

/* An engine calls it a failure; the watch stopped it. */
int reader_result(const struct records_reader *reader, int rc, struct err *err)
{
    if (rc < 0 && reader->stopped < 0)
        return err_set(err, reader->stopped, "records: the reading was stopped");
    if (rc == -EUCLEAN)
        records_health_set_damage(reader->health, err ? err->text : "damage was read");
    return rc;
}

int records_reader_open(struct records *records, struct records_reader **ret,
                        struct err *err)
{
    AUTO(records_reader_close)
    struct records_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return -ENOMEM;
    reader->engine = records->engine;
    reader->health = records->health;
    int rc = check_connected(records, err);
    if (rc == 0)
        rc = records->engine->reader_open(records->backend, &reader->reader, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(reader);
    return 0;
}

void records_reader_close(struct records_reader *reader)
{
    if (!reader)
        return;
    if (reader->reader)
        reader->engine->reader_close(reader->reader);
    free(reader);
}

int records_find_series(struct records_reader *reader,
                        const struct series_filter *filter, records_series_fn *fn,
                        void *arg, struct err *err)
{
    return reader_result(
        reader, reader->engine->reader_series(reader->reader, filter, fn, arg, err),
        err);
}

/* Times far off either end would overflow when something is added to them. */
int64_t reader_clamp(int64_t t_ms)
{
    const int64_t end_ms = INT64_C(4102444800000); /* the year 2100 */
    return t_ms < 0 ? -1 : t_ms > end_ms ? end_ms : t_ms;
}

int records_read_rows(struct records_reader *reader, const struct row_range *range,
                      records_row_fn *fn, void *arg, struct err *err)
{
    struct row_range clamped = *range;
    clamped.from_ms = reader_clamp(range->from_ms);
    clamped.to_ms = reader_clamp(range->to_ms);
    clamped.reach_ms = range->reach_ms ? reader_clamp(range->reach_ms) : clamped.to_ms;
    clamped.until_ms = reader_clamp(range->until_ms ? range->until_ms : INT64_MAX);
    if (clamped.from_ms > clamped.to_ms)
        return err_set(err, EINVAL, "records: the range ends before it begins");
    return reader_result(
        reader, reader->engine->reader_rows(reader->reader, &clamped, fn, arg, err),
        err);
}

int records_extent(struct records_reader *reader, struct records_extent *ret,
                   struct err *err)
{
    return reader_result(reader,
                         reader->engine->reader_extent(reader->reader, ret, err), err);
}
