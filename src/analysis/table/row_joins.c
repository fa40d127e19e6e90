/* SPDX-License-Identifier: Apache-2.0 */
/* row_joins - columns of second tables beside those of a row. */
#include "analysis/table/row_joins.h"

#include "base/span.h"

#include <stdlib.h>

struct row_joins {
    const struct table_join *joins;
    size_t count;
    const struct time_form *form;
    struct joined_table *tables[ROW_JOINS_MAX];
    const struct expression *keys[ROW_JOINS_MAX], *times[ROW_JOINS_MAX]; /* or NULL */
    uint64_t missed[ROW_JOINS_MAX];
    struct {
        size_t join;
        int column;
    } slots[ROW_JOINED_MAX];
    size_t slot_count;
};

void row_joins_free(struct row_joins *joins)
{
    if (!joins)
        return;
    for (size_t i = 0; i < joins->count; i++)
        joined_table_free(joins->tables[i]);
    free(joins);
}

int row_joins_new(const struct table_join *joins, size_t count,
                  const struct time_form *form, struct row_joins **ret, struct err *err)
{
    AUTO(row_joins_free) struct row_joins *j = calloc(1, sizeof *j);
    if (!j)
        return err_set(err, ENOMEM, "out of memory");
    j->joins = joins;
    j->form = form;
    for (; j->count < count; j->count++) {
        int rc = joined_table_load(&joins[j->count], &j->tables[j->count], err);
        if (rc < 0)
            return rc;
    }
    *ret = TAKE(j);
    return 0;
}

int row_joins_parse(struct row_joins *joins, expression_column_fn *column_fn, void *arg,
                    struct arena *arena, struct err *err)
{
    joins->slot_count = 0;
    for (size_t i = 0; i < joins->count; i++) {
        const struct table_join *join = &joins->joins[i];
        int rc = 0;
        joins->keys[i] = joins->times[i] = NULL;
        if (join->key_column)
            rc = expression_parse(span_of(join->key), column_fn, arg, arena,
                                  &joins->keys[i], err);
        if (rc == 0 && join->time_column)
            rc = expression_parse(span_of(join->time), column_fn, arg, arena,
                                  &joins->times[i], err);
        if (rc < 0)
            return err_prefix(err, rc, "[join %s]", join->name);
    }
    return 0;
}

int row_joins_slot(struct row_joins *joins, struct span name)
{
    struct span column = name, prefix;
    if (!span_cut(&column, '.', &prefix))
        return -ENOENT;
    for (size_t i = 0; i < joins->count; i++) {
        int at = span_is(prefix, joins->joins[i].name)
                     ? joined_table_column(joins->tables[i], column)
                     : -1;
        if (at < 0)
            continue;
        for (size_t k = 0; k < joins->slot_count; k++)
            if (joins->slots[k].join == i && joins->slots[k].column == at)
                return (int)k;
        if (joins->slot_count == ROW_JOINED_MAX)
            return -ENOENT;
        joins->slots[joins->slot_count].join = i;
        joins->slots[joins->slot_count].column = at;
        return (int)joins->slot_count++;
    }
    return -ENOENT;
}

/* A key or a time that the run does not have finds nothing. */
static bool row_find(struct row_joins *j, size_t i, const struct value *values,
                     struct arena *arena, size_t *ret_row)
{
    struct span key = { NULL, 0 };
    int64_t t_ns = 0;
    if (j->keys[i]) {
        struct value v = expression_eval(j->keys[i], values, arena);
        key = value_as_text(&v, arena);
        if (v.kind == VALUE_MISSING)
            return false;
    }
    if (j->times[i]) {
        struct value v = expression_eval(j->times[i], values, arena);
        if (v.kind == VALUE_MISSING ||
            time_form_parse(j->form, value_as_text(&v, arena), &t_ns, NULL) < 0)
            return false;
    }
    return joined_table_find(j->tables[i], key, t_ns, ret_row);
}

void row_joins_fill(struct row_joins *joins, const struct value *values,
                    struct value *slots, struct arena *arena)
{
    size_t rows[ROW_JOINS_MAX];
    bool is_there[ROW_JOINS_MAX] = { 0 };
    for (size_t i = 0; i < joins->count; i++) {
        is_there[i] = row_find(joins, i, values, arena, &rows[i]);
        joins->missed[i] += !is_there[i];
    }
    for (size_t k = 0; k < joins->slot_count; k++) {
        size_t i = joins->slots[k].join;
        slots[k] = is_there[i] ? joined_table_value(joins->tables[i], rows[i],
                                                    joins->slots[k].column)
                               : (struct value){ .kind = VALUE_MISSING };
    }
}

uint64_t row_joins_missed(const struct row_joins *joins, size_t n)
{
    return joins->missed[n];
}
