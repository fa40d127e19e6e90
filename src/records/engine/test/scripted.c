/* SPDX-License-Identifier: Apache-2.0 */
/* scripted - a connection whose statements return the rows that a test wrote down. */
#include "records/engine/test/scripted.h"

#include "base/span.h"
#include "model/model.h"

static const struct scripted_cell *cell_of(const struct sql_row *row, int column)
{
    const struct scripted_cell *cells = row->result;
    return &cells[column];
}

static bool scripted_is_null(const struct sql_row *row, int column)
{
    const struct scripted_cell *cell = cell_of(row, column);
    return !cell->has_number && !cell->text && !cell->uuid;
}

static struct span scripted_text(const struct sql_row *row, int column)
{
    const struct scripted_cell *cell = cell_of(row, column);
    return cell->text ? span_of(cell->text) : (struct span){ 0 };
}

static int64_t scripted_i64(const struct sql_row *row, int column)
{
    return cell_of(row, column)->number;
}

static bool scripted_number(const struct sql_row *row, int column, int64_t *ret)
{
    if (scripted_is_null(row, column))
        return false;
    *ret = cell_of(row, column)->number;
    return true;
}

static double scripted_double(const struct sql_row *row, int column)
{
    return (double)cell_of(row, column)->number;
}

static int64_t scripted_time(const struct sql_row *row, int column)
{
    return scripted_is_null(row, column) ? T_NONE : cell_of(row, column)->number;
}

static int scripted_uuid(const struct sql_row *row, int column, struct uuid *ret)
{
    const struct scripted_cell *cell = cell_of(row, column);
    if (!cell->uuid)
        return -EIO;
    *ret = *cell->uuid;
    return 0;
}

static int scripted_run(void *conn, const char *sql, const struct sql_value *values,
                        size_t count, sql_row_fn *fn, void *arg, struct err *err)
{
    struct scripted *script = conn;
    strbuf_clear(&script->sql);
    strbuf_adds(&script->sql, sql);
    if (count)
        memcpy(script->values, values, count * sizeof *values);
    script->value_count = count;
    script->given = 0;
    if (script->fails)
        return err_set(err, -script->fails, "scripted: the statement fails");
    for (size_t i = 0; fn && i < script->row_count; i++) {
        const struct sql_row row = scripted_row(script->rows[i]);
        script->given++;
        int rc = fn(arg, &row);
        if (rc != 0)
            return rc < 0 ? rc : 0;
    }
    return 0;
}

static const struct sql_dialect scripted_dialect = {
    .run = scripted_run,
    .is_null = scripted_is_null,
    .text = scripted_text,
    .i64 = scripted_i64,
    .number = scripted_number,
    .dbl = scripted_double,
    .time = scripted_time,
    .uuid = scripted_uuid,
};

struct sql_conn scripted_conn(struct scripted *script)
{
    return (struct sql_conn){ &scripted_dialect, script };
}

struct sql_row scripted_row(const struct scripted_cell *cells)
{
    return (struct sql_row){ &scripted_dialect, cells, 0 };
}

void scripted_done(struct scripted *script)
{
    strbuf_done(&script->sql);
}
