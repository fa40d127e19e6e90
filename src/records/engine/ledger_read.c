/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_read - the rows of a ledger, for both engines. */
#include "records/engine/ledger_read.h"

#include <assert.h>

struct scalar ledger_scalar(const struct sql_row *row, int column,
                            enum scalar_type type)
{
    if (sql_row_is_null(row, column))
        return (struct scalar){ 0 };
    if (type == SCALAR_TEXT)
        return scalar_text(sql_row_text(row, column));
    return type == SCALAR_I64 ? scalar_i64(sql_row_i64(row, column))
                              : scalar_double(sql_row_double(row, column));
}

int ledger_row_copy(const struct sql_row *row, const struct ledger *ledger,
                    struct arena *arena, const struct scalar **ret)
{
    struct scalar *copy = arena_alloc(arena, ledger->column_count * sizeof *copy);
    if (!copy)
        return -ENOMEM;
    for (size_t i = 0; i < ledger->column_count; i++) {
        copy[i] = ledger_scalar(row, (int)i, ledger->columns[i].type);
        if (!copy[i].is_present || ledger->columns[i].type != SCALAR_TEXT)
            continue;
        copy[i].text.data = arena_dup(arena, copy[i].text);
        if (!copy[i].text.data)
            return -ENOMEM;
    }
    *ret = copy;
    return 0;
}

struct ledger_reading {
    const struct ledger *ledger;
    struct scalar *scalars;
    ledger_row_fn *fn;
    void *arg;
};

static int ledger_row_read(void *arg, const struct sql_row *row)
{
    const struct ledger_reading *read = arg;
    for (size_t i = 0; i < read->ledger->column_count; i++)
        read->scalars[i] = ledger_scalar(row, (int)i, read->ledger->columns[i].type);
    return read->fn(read->arg, read->scalars);
}

int ledger_select(const struct sql_conn *conn, const struct ledger_query *query,
                  ledger_row_fn *fn, void *arg, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO_FREE struct scalar *scalars =
        calloc(query->ledger->column_count, sizeof *scalars);
    struct ledger_reading read = {
        .ledger = query->ledger, .scalars = scalars, .fn = fn, .arg = arg
    };
    struct sql_value values[SQL_VALUES_MAX];
    assert(query->term_count <= SQL_VALUES_MAX);
    if (!scalars)
        return -ENOMEM;
    for (size_t i = 0; i < query->term_count; i++) {
        const struct ledger_term *term = &query->terms[i];
        values[i] = term->type == SCALAR_TEXT ? sql_text(term->value.text)
                                              : sql_i64(term->value.i64);
    }
    ledger_add_select(&sql, query);
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    return sql_run(conn, strbuf_text(&sql), values, query->term_count, ledger_row_read,
                   &read, err);
}
