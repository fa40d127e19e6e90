/* SPDX-License-Identifier: Apache-2.0 */
/* climate_correlate - baro climate correlate: what goes with the speed of runs. */
#include "cmd/climate_ask.h"
#include "cmd/commands.h"

#define WHO "baro climate correlate"

struct args {
    const char *map;
    const char *set;
    const char *pool;
    struct table_parts_args parts;
};

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    AUTO(climate_ask_done) struct climate_ask ask = { 0 };
    AUTO(table_done) struct table table = { 0 };
    struct run_selection selection = { .pattern = args->set };
    struct err err = { 0 };
    int rc = climate_ask_pool(args->pool, &selection.pool, &err);
    if (rc == 0)
        rc = climate_ask_load(args->map, operands, operand_count, &ask, &err);
    if (rc == 0)
        rc = correlations_make(&ask.mapping, &ask.runs, &selection, &table, &err);
    if (rc == 0) {
        const struct table_part part = { "correlations", &table };
        climate_ask_note(&ask, &table);
        rc = table_parts_print(WHO, &part, 1, &args->parts, &err);
    }
    return climate_ask_end(WHO, rc, &err);
}

static const struct option options[] = {
    CLIMATE_OPTION_MAP(struct args),
    CLIMATE_OPTION_CLASS(struct args),
    CLIMATE_OPTION_POOL(struct args),
    CLIMATE_OPTION_OUTPUT(struct args),
};

const struct command cmd_climate_correlate = {
    .name = "climate correlate",
    .operands = "RUNS.csv[.gz]...",
    .help = "What goes with the speed of alike runs: Pearson's r, Spearman's rho, p.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .details =
        "A row a class and measure, against the fraction of peak. p is that of the "
        "one\n"
        "test, p_many that of as many as there are rows (Bonferroni): with a hundred\n"
        "tests one in a hundred is below 0.01 by chance.\n"
        "\n"
        "Example: baro climate correlate -m sc18.conf --pool all edison-*.csv.gz",
};
