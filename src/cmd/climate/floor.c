/* SPDX-License-Identifier: Apache-2.0 */
/* climate_floor - baro climate floor: how far apart runs are that are alike. */
#include "cmd/climate/args.h"
#include "cmd/commands.h"

#define WHO "baro climate floor"

struct args {
    const char *map;
    const char *set;
    struct table_parts_args parts;
};

static int show(const struct args *args, const struct climate_runs *climate,
                struct err *err)
{
    AUTO(floors_done) struct floors floors = { 0 };
    AUTO(table_done) struct table table = { 0 };
    if (floors_make(&climate->runs, &floors) < 0)
        return err_set(err, ENOMEM, "out of memory");
    table_init(&table);
    int rc = floor_table_make(&floors, args->set, &table, err);
    if (rc < 0)
        return rc;
    runs_notes_add(&climate->mapping, &climate->runs, &table);
    const struct table_part parts[] = { { "floor", &table } };
    return table_parts_print(WHO, parts, COUNT_OF(parts), &args->parts, err);
}

static int climate_floor_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    AUTO(climate_runs_done) struct climate_runs climate = { 0 };
    struct err err = { 0 };
    int rc = climate_args_load(args->map, operands, operand_count, &climate, &err);
    if (rc == 0)
        rc = show(args, &climate, &err);
    return climate_args_end(WHO, rc, &err);
}

static const struct option options[] = {
    CLIMATE_OPTION_MAP(struct args),
    CLIMATE_OPTION_CLASS(struct args),
    CLIMATE_OPTION_OUTPUT(struct args),
};

const struct command cmd_climate_floor = {
    .name = "climate floor",
    .operands = "RUNS.csv|barod...",
    .help = "The noise floor: how much runs with equal counters differ in speed.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = climate_floor_run,
    .details =
        "Runs of a class are comparable when those of its counters are equal that the\n"
        "mapping names ('comparable'), or without any those that baro job summarize "
        "writes.\n"
        "q50 .. q99 are the factors by which the faster of two comparable runs is\n"
        "faster at most, in so many of 100 pairs; next_ of successive runs. What "
        "differs less needs no cause.\n"
        "\n"
        "Example: baro climate floor -m sc18.conf -c 'scratch1@*' edison-*.csv.gz",
};
