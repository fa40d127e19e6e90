/* SPDX-License-Identifier: Apache-2.0 */
/* part - which parts a table has: ranges of its key. */
#include "records/copy/part.h"

#include "base/span.h"

#include <stdio.h>

#define TIME_FLOOR_MS INT64_C(-62135596800000) /* year 1 */
#define ID_BYTES 256

void copy_part_list_done(struct copy_part_list *list)
{
    free(list->parts);
    *list = (struct copy_part_list){ 0 };
}

static int list_add(struct copy_part_list *list, const struct copy_part *part)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        void *grown = realloc(list->parts, capacity * sizeof *list->parts);
        if (!grown)
            return -ENOMEM;
        list->parts = grown;
        list->capacity = capacity;
    }
    list->parts[list->count++] = *part;
    return 0;
}

void copy_part_make(const struct copy_table *table, int64_t key, int64_t floor,
                    struct copy_part *ret)
{
    const int64_t width = table->width;
    int64_t over = key % width < 0 ? key % width + width : key % width;
    int64_t from = key < INT64_MIN + over ? INT64_MIN : key - over;
    *ret = (struct copy_part){ .table = table, .from = from > floor ? from : floor };
    ret->to = from > INT64_MAX - (width - 1) ? INT64_MAX : from + (width - 1);
    (void)snprintf(ret->name, sizeof ret->name, "%s %lld", table->name,
                   (long long)ret->from);
}

/* ---- by number, by time ---- */

static int edge_read(void *arg, const struct sql_row *row)
{
    struct {
        bool is_time, is_there;
        int64_t key;
    } *edge = arg;
    if (sql_row_is_null(row, 0))
        return 0;
    edge->is_there = true;
    edge->key = edge->is_time ? sql_row_time(row, 0) : sql_row_i64(row, 0);
    return 0;
}

/* The smallest key from `from` on. */
static int next_key(const struct copy_table *table, const struct copy_side *side,
                    int64_t from, bool *ret_is_there, int64_t *ret, struct err *err)
{
    struct {
        bool is_time, is_there;
        int64_t key;
    } edge = { .is_time = table->key == COPY_BY_TIME };
    const struct sql_value value = edge.is_time ? sql_time(from) : sql_i64(from);
    char sql[160];
    (void)snprintf(sql, sizeof sql, "SELECT min(%s) FROM %s WHERE %s >= $1",
                   table->key_column, table->name, table->key_column);
    int rc = sql_run(&side->sql, sql, &value, 1, edge_read, &edge, err);
    if (rc == 0 && edge.is_there && (!*ret_is_there || edge.key < *ret)) {
        *ret = edge.key;
        *ret_is_there = true;
    }
    return rc;
}

static int ranges_find(const struct copy_table *table, const struct copy_side sides[2],
                       struct copy_part_list *list, struct err *err)
{
    int64_t from = table->key == COPY_BY_TIME ? TIME_FLOOR_MS : INT64_MIN;
    for (;;) {
        bool is_there = false;
        int64_t key = 0;
        struct copy_part part;
        int rc = next_key(table, &sides[0], from, &is_there, &key, err);
        if (rc == 0)
            rc = next_key(table, &sides[1], from, &is_there, &key, err);
        if (rc < 0 || !is_there)
            return rc;
        copy_part_make(table, key, from, &part);
        rc = list_add(list, &part);
        if (rc < 0 || part.to == INT64_MAX)
            return rc;
        from = part.to + 1;
    }
}

static int nulls_add(const struct copy_table *table, struct copy_part_list *list)
{
    struct copy_part part = { .table = table, .is_null = true };
    (void)snprintf(part.name, sizeof part.name, "%s without %s", table->name,
                   table->key_column);
    return list_add(list, &part);
}

/* ---- days, ids ---- */

static int day_add(const struct copy_table *table, int32_t day,
                   struct copy_part_list *list)
{
    struct copy_part part = { .table = table, .day = day, .from = day_start_ms(day) };
    part.to = part.from + MS_PER_DAY - 1;
    (void)snprintf(part.name, sizeof part.name, "%s %d", table->name, (int)day);
    return list_add(list, &part);
}

static int days_find(const struct copy_table *table, const struct copy_side sides[2],
                     struct copy_part_list *list)
{
    const struct day_list *a = &sides[0].days[table->kind];
    const struct day_list *b = &sides[1].days[table->kind];
    int rc = 0;
    for (size_t i = 0, j = 0; (i < a->count || j < b->count) && rc == 0;) {
        int32_t x = i < a->count ? a->days[i].day : INT32_MAX;
        int32_t y = j < b->count ? b->days[j].day : INT32_MAX;
        rc = day_add(table, x < y ? x : y, list);
        i += x <= y;
        j += y <= x;
    }
    return rc;
}

static int ids_add(const struct copy_table *table, struct copy_part_list *list)
{
    int rc = 0;
    for (int i = 0; i < ID_BYTES && rc == 0; i++) {
        struct copy_part part = { .table = table, .from = i, .to = i };
        (void)snprintf(part.name, sizeof part.name, "%s %02x", table->name,
                       (unsigned)i);
        rc = list_add(list, &part);
    }
    return rc;
}

int copy_parts_find(const struct copy_table *table, const struct copy_side sides[2],
                    struct copy_part_list *list, struct err *err)
{
    struct copy_part whole = { .table = table };
    int rc;
    switch (table->key) {
    case COPY_BY_DAY:
        return days_find(table, sides, list);
    case COPY_BY_ID_BYTE0:
        return ids_add(table, list);
    case COPY_BY_TIME:
        return ranges_find(table, sides, list, err);
    case COPY_BY_NUMBER:
        rc = ranges_find(table, sides, list, err);
        return rc < 0 ? rc : nulls_add(table, list);
    case COPY_WHOLE:
        break;
    }
    (void)snprintf(whole.name, sizeof whole.name, "%s", table->name);
    return list_add(list, &whole);
}
