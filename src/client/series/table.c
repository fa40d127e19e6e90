/* SPDX-License-Identifier: Apache-2.0 */
/* table - series out of a table of any layout, by a mapping file. */
#include "client/series/table.h"

#include "analysis/table/table.h"
#include "base/number.h"
#include "base/span.h"
#include "client/series/measure.h"
#include "source/table/table.h"

#include <fcntl.h>
#include <inttypes.h>

#define MYSQL_PREFIX "mysql:"

struct reading {
    const struct table_mapping *mapping;
    const struct lmt_opts *opts;
    const struct series_opts *way;
    const char *source;
    struct lmt_points *points;
    enum lmt_measure measures[TABLE_MEASURES_MAX];
    struct table_rows rows;
    struct err *err;
};

static const enum lmt_point_kind kinds[][2] = {
    [TABLE_GAUGE] = { LMT_POINT_GAUGE, LMT_POINT_GAUGE_END },
    [TABLE_COUNT] = { LMT_POINT_COUNT, LMT_POINT_COUNT_END },
    [TABLE_RATE] = { LMT_POINT_RATE, LMT_POINT_RATE_END },
    [TABLE_COUNTER] = { LMT_POINT_COUNTER, LMT_POINT_COUNTER },
};

static int on_value(void *arg, const struct table_value *value)
{
    struct reading *r = arg;
    const struct table_measure *m = &r->mapping->measures[value->measure];
    int64_t t_s = value->t_ns / NS_PER_S - (value->t_ns % NS_PER_S < 0);
    return lmt_points_add(r->points, r->measures[value->measure],
                          kinds[m->kind][r->mapping->at], value->component,
                          t_s + r->opts->clock_offset_s, value->value, r->err);
}

static void on_fault(void *arg, uint64_t row, const char *reason)
{
    const struct reading *r = arg;
    if (r->rows.fault_count == 1)
        series_log(r->way, "%s: row %" PRIu64 ": %s", r->source, row, reason);
}

static int on_names(void *arg, const struct span *names, size_t count, struct err *err)
{
    struct reading *r = arg;
    int rc = table_rows_init(&r->rows, r->mapping, names, count, err);
    r->rows.on_value = on_value;
    r->rows.on_fault = on_fault;
    r->rows.arg = r;
    return rc;
}

static int on_row(void *arg, const struct span *cells, size_t count, uint64_t number)
{
    struct reading *r = arg;
    return table_rows_take(&r->rows, cells, count, number);
}

static int csv_read(struct reading *r, struct err *err)
{
    AUTO(csv_close) struct csv *csv = NULL;
    const struct span *cells;
    size_t count;
    static const struct csv_form form = { .separator = CSV_GUESS };
    int rc = csv_open_form(r->source, &form, &csv, err);
    if (rc == 0)
        rc = csv_next(csv, &cells, &count, err);
    if (rc == 0)
        return err_set(err, EBADMSG, "%s: is empty", r->source);
    if (rc > 0)
        rc = on_names(r, cells, count, err);
    while (rc == 0 && (rc = csv_next(csv, &cells, &count, err)) > 0)
        rc = on_row(r, cells, count, csv_line(csv));
    return rc;
}

static bool is_sqlite(const char *path)
{
    char head[16] = { 0 };
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && read(fd, head, sizeof head) == sizeof head &&
           memcmp(head, "SQLite format 3", sizeof head) == 0;
}

static int source_read(struct reading *r, struct err *err)
{
    const struct table_query_events events = { on_names, on_row, r };
    bool is_postgres = span_starts(span_of(r->source), "postgres");
    bool is_mysql = span_starts(span_of(r->source), MYSQL_PREFIX);
    if (!is_postgres && !is_mysql && !is_sqlite(r->source))
        return csv_read(r, err);
    if (!r->mapping->query)
        return err_set(err, EINVAL, "[table]: a database wants a query");
    if (is_mysql)
        return table_query_mysql(r->source + strlen(MYSQL_PREFIX), r->mapping->query,
                                 r->mapping->query_timeout_ns, &events, err);
    return is_postgres
               ? table_query_postgres(r->source, r->mapping->query, &events, err)
               : table_query_sqlite(r->source, r->mapping->query, &events, err);
}

static int points_read(struct reading *r, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->mapping->measure_count; i++) {
        const char *name = r->mapping->measures[i].name;
        if (series_measure_find(name, &r->measures[i]) < 0)
            rc = err_set(err, EINVAL, "[measure %s]: no series has this name", name);
    }
    if (rc == 0)
        rc = source_read(r, err);
    if (r->rows.fault_count > 1)
        series_log(r->way, "%s: %" PRIu64 " rows could not be read", r->source,
                   r->rows.fault_count);
    table_rows_done(&r->rows);
    if (rc == 0 && lmt_points_count(r->points) == 0)
        rc = err_set(err, EBADMSG, "%s: nothing of it is a series", r->source);
    return rc;
}

int series_table_open(const char *what, const struct series_opts *way,
                      const struct lmt_opts *opts, struct lmt_series **ret,
                      struct err *err)
{
    AUTO(table_mapping_done) struct table_mapping mapping = { 0 };
    AUTO(lmt_points_free) struct lmt_points *points = NULL;
    struct span source = span_of(what), map;
    struct err local = { 0 };
    err = err ? err : &local;
    if (!span_cut(&source, ':', &map))
        return err_set(err, EINVAL,
                       "'" SERIES_TABLE_PREFIX "%s' is not "
                       "'" SERIES_TABLE_PREFIX "MAPPING:SOURCE'",
                       what);
    AUTO_FREE char *path = span_dup(map);
    if (!path || lmt_points_new(&points) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc = table_mapping_load(path, &mapping, err);
    struct reading r = { .mapping = &mapping,
                         .opts = opts,
                         .way = way,
                         .source = source.data,
                         .points = points,
                         .err = err };
    if (rc == 0)
        rc = points_read(&r, err);
    if (rc == 0)
        rc = lmt_series_of_points(points, "table", ret, err);
    if (rc == 0)
        points = NULL; /* the series owns them */
    return rc;
}
