/* SPDX-License-Identifier: Apache-2.0 */
/* row_set - an instant vector at every step. */
#include "promql/row_set.h"

#include "base/hashmap.h"

#include <stdlib.h>

void row_set_init(struct row_set *set, struct evaluation *ev, size_t step_count)
{
    *set = (struct row_set){ .ev = ev, .step_count = step_count };
    arena_init(&set->arena, 0);
}

void row_set_done(struct row_set *set)
{
    if (set->ev)
        set->ev->row_bytes -= set->bytes;
    arena_done(&set->arena);
    free(set->rows);
    *set = (struct row_set){ 0 };
}

static int row_set_charge(struct row_set *set, size_t bytes)
{
    int rc = evaluation_charge_bytes(set->ev, bytes);
    if (rc == 0)
        set->bytes += bytes;
    return rc;
}

static int row_set_grow(struct row_set *set)
{
    if (set->count < set->capacity)
        return 0;
    size_t capacity = set->capacity ? 2 * set->capacity : 16;
    int rc = row_set_charge(set, (capacity - set->capacity) * sizeof set->rows[0]);
    if (rc < 0)
        return rc;
    struct row *rows = realloc(set->rows, capacity * sizeof *rows);
    if (!rows)
        return evaluation_no_memory(set->ev);
    set->rows = rows;
    set->capacity = capacity;
    return 0;
}

int row_set_doubles(struct row_set *set, size_t count, double **ret)
{
    int rc = row_set_charge(set, count * sizeof **ret);
    if (rc < 0)
        return rc;
    double *values = arena_alloc(&set->arena, count * sizeof *values);
    if (!values)
        return evaluation_no_memory(set->ev);
    double absent = absent_value();
    for (size_t i = 0; i < count; i++)
        values[i] = absent;
    *ret = values;
    return 0;
}

int row_set_add(struct row_set *set, const struct labels *labels, struct row **ret)
{
    double *values = NULL;
    int rc = row_set_grow(set);
    if (rc == 0)
        rc = row_set_doubles(set, set->step_count, &values);
    if (rc < 0)
        return rc;
    struct row *row = &set->rows[set->count++];
    *row = (struct row){ *labels, values };
    *ret = row;
    return 0;
}

bool row_has_values(const struct row_set *set, const struct row *row)
{
    for (size_t i = 0; i < set->step_count; i++)
        if (!is_absent(row->values[i]))
            return true;
    return false;
}

static int row_compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return labels_compare(&x->labels, &y->labels);
}

void row_set_sort(struct row_set *set)
{
    size_t i = 1;
    while (i < set->count && row_compare(&set->rows[i - 1], &set->rows[i]) <= 0)
        i++;
    if (i < set->count)
        qsort(set->rows, set->count, sizeof set->rows[0], row_compare);
}

static int refuse_equal(const struct row_set *set, const struct row *row)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    labels_print(&text, &row->labels);
    return err_set(set->ev->err, EDOM,
                   "vector cannot contain metrics with the same labelset: %.300s",
                   strbuf_text(&text));
}

static int merge_into(struct row_set *set, struct row *into, const struct row *row,
                      enum row_set_merge how)
{
    if (how == ROWS_WHOLE)
        return refuse_equal(set, row);
    for (size_t i = 0; i < set->step_count; i++) {
        if (is_absent(row->values[i]))
            continue;
        if (!is_absent(into->values[i]))
            return refuse_equal(set, row);
        into->values[i] = row->values[i];
    }
    return 0;
}

int row_set_merge(struct row_set *set, enum row_set_merge how)
{
    AUTO(hashmap_done) struct hashmap map = HASHMAP_INIT;
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (!row_has_values(set, &set->rows[i]))
            continue;
        bool is_new = false;
        strbuf_clear(&key);
        labels_add_key(&key, &set->rows[i].labels);
        uintptr_t *at = hashmap_put(&map, strbuf_span(&key), &is_new);
        if (!at || strbuf_error(&key))
            return evaluation_no_memory(set->ev);
        int rc = 0;
        if (is_new) {
            *at = count;
            set->rows[count++] = set->rows[i];
        } else {
            rc = merge_into(set, &set->rows[*at], &set->rows[i], how);
        }
        if (rc < 0)
            return rc;
    }
    set->count = count;
    return 0;
}

int row_set_drop_names(struct row_set *set, enum row_set_merge how)
{
    for (size_t i = 0; i < set->count; i++) {
        struct row *row = &set->rows[i];
        if (labels_drop_metric_name(&set->ev->arena, &row->labels, &row->labels) < 0)
            return evaluation_no_memory(set->ev);
    }
    return row_set_merge(set, how);
}
