/* SPDX-License-Identifier: Apache-2.0 */
/* day_list - the days of a kind that have rows, for both engines. */
#include "records/engine/day_list.h"

#include "base/span.h"

void day_list_done(struct day_list *list)
{
    free(list->days);
    *list = (struct day_list){ 0 };
}

int day_list_add(struct day_list *list, struct day_span day)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 32;
        void *grown = realloc(list->days, capacity * sizeof *list->days);
        if (!grown)
            return -ENOMEM;
        list->days = grown;
        list->capacity = capacity;
    }
    size_t at = list->count++;
    for (; at > 0 && list->days[at - 1].day > day.day; at--)
        list->days[at] = list->days[at - 1];
    list->days[at] = day;
    return 0;
}

/* From the end: rows are of the newest days. */
struct day_span *day_list_find(const struct day_list *list, int32_t day)
{
    for (size_t i = list->count; i > 0; i--)
        if (list->days[i - 1].day == day)
            return &list->days[i - 1];
    return NULL;
}

static int listed_day_add(void *arg, const struct sql_row *row)
{
    return day_list_add(arg, (struct day_span){ .day = (int32_t)sql_row_i64(row, 0),
                                                .span_ms = sql_row_i64(row, 1) });
}

int day_list_load(struct day_list *list, const struct sql_conn *conn,
                  enum target_kind kind, int32_t from_day, struct err *err)
{
    const struct sql_value values[] = { sql_text(span_of(target_kind_name(kind))),
                                        sql_i64(from_day) };
    list->count = 0;
    return sql_run(conn,
                   "SELECT day, span_ms FROM jobstats_days WHERE kind = $1 AND "
                   "day >= $2 ORDER BY day",
                   values, COUNT_OF(values), listed_day_add, list, err);
}
