/* SPDX-License-Identifier: Apache-2.0 */
/* result - a finished accumulator as a table, with what a reader must know about it. */
#include "query/counters/result_private.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>

uint64_t result_total(accumulator_sum sum)
{
    return sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

void result_set_at_most(struct table *table, size_t column,
                        const struct accumulator_group *group, accumulator_sum sum,
                        size_t measure)
{
    sum += group->unknown[measure];
    if (!group->is_unbounded && sum <= UINT64_MAX)
        table_set_u64(table, column, (uint64_t)sum);
}

double result_rate(accumulator_sum sum, int64_t from_ms, int64_t to_ms)
{
    return (double)((long double)sum * MS_PER_S / (long double)(to_ms - from_ms));
}

void result_add_keys(const struct accumulator *accumulator, struct table *table)
{
    for (size_t i = 0; i < accumulator->sel->by_count; i++)
        table_add_column(table, dim_name(accumulator->sel->by[i]), TABLE_TEXT, "");
}

size_t result_set_keys(const struct accumulator *accumulator,
                       const struct accumulator_group *group, size_t column,
                       struct table *table)
{
    for (size_t i = 0; i < accumulator->sel->by_count; i++, column++) {
        struct span text = accumulator_text(accumulator, group->key[i]);
        if (text.data)
            table_set_text(table, column, text);
    }
    return column;
}

bool result_is_grouped_by(const struct selection *sel, enum dim dim)
{
    for (size_t i = 0; i < sel->by_count; i++)
        if (sel->by[i] == dim)
            return true;
    return false;
}

void result_add_named(struct table *table, const struct measure *m, const char *suffix,
                      enum table_type type, const char *unit)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s%s", m->name, suffix);
    table_add_column(table, name, type, unit);
}

void result_trend(const struct accumulator *accumulator,
                  const struct accumulator_group *group, size_t measure, char *out,
                  size_t size)
{
    size_t measures = accumulator->sel->measure_count;
    accumulator_sum most = 0;
    for (size_t s = 0; s < accumulator->step_count; s++)
        if (group->sums[s * measures + measure] > most)
            most = group->sums[s * measures + measure];
    size_t n = 0;
    for (size_t s = 0; s < accumulator->step_count && n + 1 < size; s++) {
        accumulator_sum sum = group->sums[s * measures + measure];
        /* Rounded up, so that little differs from nothing. */
        unsigned level =
            sum ? (unsigned)ceill((long double)sum * 8 / (long double)most) : 0;
        out[n++] = (char)('0' + (level > 8 ? 8 : level));
    }
    out[n] = '\0';
}
