/* SPDX-License-Identifier: Apache-2.0 */
/* climate_floor - baro climate floor: how far apart runs are that are alike. */
#include "cmd/climate_ask.h"
#include "cmd/commands.h"

#include <fnmatch.h>
#include <math.h>

#define WHO "baro climate floor"

struct args {
    const char *map;
    const char *set;
    struct table_parts_args parts;
};

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

static int show(const struct args *args, const struct climate_ask *ask, struct err *err)
{
    AUTO(floors_done) struct floors floors = { 0 };
    AUTO(table_done) struct table table = { 0 };
    size_t told = 0;
    if (floors_make(&ask->runs, &floors) < 0)
        return err_set(err, ENOMEM, "out of memory");
    table_init(&table);
    columns_add(&table);
    for (size_t i = 0; i < floors.count; i++) {
        if (args->set && fnmatch(args->set, floors.sets[i].name, 0) != 0)
            continue;
        row_add(&table, &floors.sets[i]);
        told++;
    }
    if (told == 0 && args->set)
        return err_set(err, ENOENT, "of %zu classes none is called '%s'", floors.count,
                       args->set);
    if (!args->set)
        row_add(&table, &floors.all);
    if (floors.all.any.pairs == 0)
        table_add_note(&table, "no two runs of a class are alike in all counters");
    climate_ask_note(ask, &table);
    const struct table_part parts[] = { { "floor", &table } };
    return table_parts_print(WHO, parts, COUNT_OF(parts), &args->parts, err);
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    AUTO(climate_ask_done) struct climate_ask ask = { 0 };
    struct err err = { 0 };
    int rc = climate_ask_load(args->map, operands, operand_count, &ask, &err);
    if (rc == 0)
        rc = show(args, &ask, &err);
    return climate_ask_end(WHO, rc, &err);
}

static const struct option options[] = {
    CLIMATE_OPTION_MAP(struct args),
    CLIMATE_OPTION_CLASS(struct args),
    CLIMATE_OPTION_OUTPUT(struct args),
};

const struct command cmd_climate_floor = {
    .name = "climate floor",
    .operands = "RUNS.csv|barod...",
    .help = "How much runs differ in speed that are alike in every counter.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .details =
        "Runs of a class are alike when the counters are equal that the mapping names\n"
        "with 'alike', or without it those that baro job summarize writes. q50 .. q99 "
        "are\n"
        "the factors by which the faster of two alike runs is faster at most, in so "
        "many of\n"
        "100 pairs; next_ of successive runs. What differs less needs no cause.\n"
        "\n"
        "Example: baro climate floor -m sc18.conf -c 'scratch1@*' edison-*.csv.gz",
};
