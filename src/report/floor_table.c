/* SPDX-License-Identifier: Apache-2.0 */
/* floor_table - the noise floors of classes as a table. */
#include "report/floor_table.h"

#include "base/span.h"

#include <fnmatch.h>
#include <math.h>

static void spread_set(struct table *table, size_t column,
                       const struct floor_spread *spread)
{
    const double values[] = { spread->median, spread->q90, spread->q95, spread->q99 };
    table_set_u64(table, column, spread->pairs);
    for (size_t i = 0; i < COUNT_OF(values); i++)
        if (!isnan(values[i]))
            table_set_double(table, column + 1 + i, values[i]);
}

static void row_add(struct table *table, const struct floor *floor)
{
    table_add_row(table);
    table_set_text(table, 0, span_of(floor->name ? floor->name : "all"));
    table_set_u64(table, 1, floor->groups);
    table_set_u64(table, 2, floor->runs);
    table_set_u64(table, 3, floor->single_runs);
    table_set_u64(table, 4, floor->unknown_runs);
    spread_set(table, 5, &floor->any);
    spread_set(table, 10, &floor->next);
}

static void columns_add(struct table *table)
{
    static const char *const counts[] = { "groups", "runs", "single", "unknown" };
    static const char *const factors[] = { "q50", "q90", "q95", "q99" };
    static const char *const kinds[] = { "", "next_" };
    char name[32];
    table_add_column(table, "class", TABLE_TEXT, "");
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        table_add_column(table, counts[i], TABLE_U64, "");
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        (void)snprintf(name, sizeof name, "%spairs", kinds[k]);
        table_add_column(table, name, TABLE_U64, "");
        for (size_t i = 0; i < COUNT_OF(factors); i++) {
            (void)snprintf(name, sizeof name, "%s%s", kinds[k], factors[i]);
            table_add_column(table, name, TABLE_DOUBLE, "");
        }
    }
}

int floor_table_make(const struct floors *floors, const char *pattern,
                     struct table *table, struct err *err)
{
    size_t count = 0;
    columns_add(table);
    for (size_t i = 0; i < floors->count; i++) {
        if (pattern && fnmatch(pattern, floors->sets[i].name, 0) != 0)
            continue;
        row_add(table, &floors->sets[i]);
        count++;
    }
    if (count == 0 && pattern)
        return err_set(err, ENOENT, "of %zu classes none is called '%s'", floors->count,
                       pattern);
    if (!pattern)
        row_add(table, &floors->all);
    if (floors->all.any.pairs == 0)
        table_add_note(table, "no two runs of a class are equal in all counters");
    return 0;
}
