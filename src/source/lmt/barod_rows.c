/* SPDX-License-Identifier: Apache-2.0 */
/* barod_rows - a measure out of a barod's rows: what jobs did, by target and step. */
#include "base/span.h"
#include "base/table/table.h"
#include "source/lmt/barod_private.h"

#include <math.h>

#define STEPS_MAX 1440  /* of a window; longer ones have longer steps */
#define PIECE_STEPS 720 /* of one answer */

struct rows {
    struct barod *b;
    const struct barod_source *source;
    struct lmt_grid *grid;
    const char *fs; /* NULL: all */
    size_t other;   /* rows of other file systems */
    size_t taken;
    bool *is_own; /* columns that came from here */
    size_t own_count;
    struct err *err;
};

/* So many steps that a person or a sum makes use of them: agents read a target's jobs
 * every two minutes, or every few seconds. */
static int64_t step_of(const struct lmt_grid *grid)
{
    static const int64_t steps_s[] = { 5, 10, 15, 30, 60, 300, 600, 3600 };
    for (size_t i = 0; i + 1 < COUNT_OF(steps_s); i++)
        if ((grid->to_s - grid->from_s) / steps_s[i] <= STEPS_MAX)
            return steps_s[i];
    return steps_s[COUNT_OF(steps_s) - 1];
}

static int own_mark(struct rows *r, size_t column)
{
    if (column >= r->own_count) {
        size_t count = r->grid->column_count;
        bool *grown = reallocarray(r->is_own, count, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        for (size_t i = r->own_count; i < count; i++)
            grown[i] = false;
        r->is_own = grown;
        r->own_count = count;
    }
    r->is_own[column] = true;
    return 0;
}

static int row_take(struct rows *r, const struct table *table, size_t row,
                    const int places[3])
{
    const struct table_cell *from = table_at(table, row, (size_t)places[0]);
    const struct table_cell *target = table_at(table, row, (size_t)places[1]);
    const struct table_cell *value = table_at(table, row, (size_t)places[2]);
    size_t column;
    if (from->is_null || target->is_null || value->is_null)
        return 0;
    if (r->fs && !span_is(barod_fs_of(span_of(target->text)), r->fs)) {
        r->other++;
        return 0;
    }
    int64_t t_s = from->i64 / 1000 + r->b->opts.clock_offset_s;
    int64_t at = lmt_grid_row(r->grid, t_s);
    if (at < 0)
        return 0;
    const struct span name = span_of(target->text);
    int rc = lmt_grid_columns(r->grid, &name, 1, &column, r->err);
    if (rc == 0 && own_mark(r, column) < 0)
        rc = err_set(r->err, ENOMEM, "out of memory");
    if (rc < 0)
        return rc;
    double *cell = lmt_grid_at(r->grid, (size_t)at, column);
    *cell = (double)value->u64;
    r->taken++;
    return 0;
}

static int table_take(struct rows *r, const struct table *table)
{
    const int places[3] = { table_find_column(table, "from"),
                            table_find_column(table, "target"),
                            table_find_column(table, r->source->op) };
    static const enum table_type types[3] = { TABLE_TIME, TABLE_TEXT, TABLE_U64 };
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (places[i] < 0 || table->columns[places[i]].type != types[i])
            return err_set(r->err, EBADMSG,
                           "invalid response of the server about rates");
    int rc = 0;
    for (size_t row = 0; rc == 0 && row < table->row_count; row++)
        rc = row_take(r, table, row, places);
    return rc;
}

static int piece_read(struct rows *r, int64_t from_s, int64_t to_s)
{
    AUTO(table_done) struct table table;
    struct barod *b = r->b;
    struct span body;
    char step[32], ops[64];
    bool is_ost = r->source->class == BAROD_OST;
    table_init(&table);
    (void)snprintf(step, sizeof step, "%llds", (long long)r->grid->step_s);
    barod_path_begin(b, "/v1/jobstats/rates");
    barod_path_add(b, "by", "target");
    /* Whatever else a target did shows that it was read. */
    (void)snprintf(ops, sizeof ops, "%s,%s", r->source->op,
                   is_ost ? "iops" : "metadata");
    barod_path_add(b, "op", ops);
    barod_path_add(b, "target", is_ost ? "*-OST*" : "*-MDT*");
    barod_path_add(b, "step", step);
    barod_path_add_time(b, "from", from_s - b->opts.clock_offset_s);
    barod_path_add_time(b, "to", to_s - b->opts.clock_offset_s);
    int rc = barod_get(b, &body, r->err);
    if (rc == 0)
        rc = table_from_json(body, &table, r->err);
    return rc == 0 ? table_take(r, &table) : rc;
}

static int all_read(struct rows *r)
{
    const struct lmt_grid *grid = r->grid;
    int64_t piece_s = PIECE_STEPS * grid->step_s;
    int64_t end_s = grid->start_s + (int64_t)grid->row_count * grid->step_s;
    int rc = 0;
    for (int64_t at_s = grid->start_s; rc == 0 && at_s < end_s; at_s += piece_s)
        rc = piece_read(r, at_s, at_s + piece_s < end_s ? at_s + piece_s : end_s);
    return rc;
}

/* In a step in which anything was seen, a target of which nothing was seen did nothing;
 * where nothing was seen at all, nobody knows. */
static void zeros_put(struct rows *r)
{
    for (size_t row = 0; row < r->grid->row_count; row++) {
        bool is_seen = false;
        for (size_t i = 0; i < r->own_count; i++)
            is_seen |= r->is_own[i] && !isnan(*lmt_grid_at(r->grid, row, i));
        for (size_t i = 0; is_seen && i < r->own_count; i++) {
            double *cell = lmt_grid_at(r->grid, row, i);
            if (r->is_own[i] && isnan(*cell))
                *cell = 0;
        }
    }
}

int barod_rows_read(struct barod *b, const struct barod_source *source,
                    struct lmt_grid *grid, struct err *err)
{
    struct rows r = { .b = b, .source = source, .grid = grid, .err = err, .fs = b->fs };
    if (!source->op)
        return -ENOENT;
    int rc = grid->step_s != 0
                 ? 0
                 : lmt_grid_shape(grid, step_of(grid), b->opts.clock_offset_s, err);
    if (rc == 0)
        rc = all_read(&r);
    if (rc == 0)
        zeros_put(&r);
    free(r.is_own);
    return rc == 0 && r.taken == 0 ? -ENOENT : rc;
}
