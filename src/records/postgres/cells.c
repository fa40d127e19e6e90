/* SPDX-License-Identifier: Apache-2.0 */
/* cells - the cells of hours out of PostgreSQL, ordered by (sid, hour, part). */
#include "records/postgres/reader.h"
#include "records/postgres/rollup.h"
#include "records/postgres/statement.h"

struct cells_read {
    const struct engine_reader *r;
    const struct cell_range *range;
    records_cell_fn *fn;
    void *arg;
};

static int cell_emit(void *arg, const struct sql_row *row)
{
    const struct cells_read *read = arg;
    struct rollup_cell cell;
    cell_read(row, read->range, &read->r->servers, &cell);
    return read->fn(read->arg, &cell);
}

static void cells_sql(struct strbuf *sql, const struct cell_range *range)
{
    strbuf_adds(sql, "SELECT ");
    cell_columns_add(sql, range);
    strbuf_addf(sql,
                " FROM rollup_%s WHERE hour >= $1 AND hour < $2%s%s%s "
                "ORDER BY sid, hour, part",
                target_kind_name(range->kind), range->reach_ms ? " AND since < $3" : "",
                rollup_is_long(range) ? " AND " PG_LONG_CELL : "",
                !range->sids      ? ""
                : range->reach_ms ? " AND sid = ANY ($4)"
                                  : " AND sid = ANY ($3)");
}

int pg_reader_cells(struct engine_reader *r, const struct cell_range *range,
                    records_cell_fn *fn, void *arg, struct err *err)
{
    struct cells_read read = { .r = r, .range = range, .fn = fn, .arg = arg };
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf sids = STRBUF_INIT;
    struct pg_args args = { 0 };
    int rc = pg_reader_connected(r, err);
    if (rc == 0)
        rc = pg_servers_load(r, err);
    if (rc < 0)
        return rc;
    cells_sql(&sql, range);
    pg_add_time(&args, range->from_ms);
    pg_add_time(&args, range->to_ms);
    if (range->reach_ms)
        pg_add_time(&args, range->reach_ms);
    if (range->sids) {
        pg_put_sids(&sids, range->sids, range->sid_count);
        pg_add_binary(&args, PG_OID_INT8_ARRAY, strbuf_span(&sids));
    }
    if (strbuf_error(&sql) || strbuf_error(&sids))
        return -ENOMEM;
    return pg_run(&r->conn, strbuf_text(&sql), &args, cell_emit, &read, err);
}
