/* SPDX-License-Identifier: Apache-2.0 */
/* climate_correlate - baro climate correlate: what goes with the speed of runs. */
#include "cmd/climate/args.h"
#include "cmd/commands.h"

#define WHO "baro climate correlate"

static int correlate_print(const struct climate_pool_args *args,
                           const struct climate_runs *climate,
                           struct run_selection *selection, struct err *err)
{
    AUTO(correlations_done) struct correlations found = { 0 };
    AUTO(table_done) struct table table = { 0 };
    table_init(&table);
    int rc =
        correlations_make(&climate->mapping, &climate->runs, selection, &found, err);
    if (rc == 0)
        rc = correlation_table_make(&found, &table, err);
    if (rc < 0)
        return rc;
    const struct table_part part = { "correlations", &table };
    runs_notes_add(&climate->mapping, &climate->runs, &table);
    return table_parts_print(WHO, &part, 1, &args->parts, err);
}

static int climate_correlate_run(void *args, int operand_count, char **operands)
{
    return climate_args_pooled(WHO, args, operands, operand_count, correlate_print);
}

static const struct option options[] = {
    CLIMATE_OPTION_MAP(struct climate_pool_args),
    CLIMATE_OPTION_CLASS(struct climate_pool_args),
    CLIMATE_OPTION_POOL(struct climate_pool_args),
    CLIMATE_OPTION_OUTPUT(struct climate_pool_args),
};

const struct command cmd_climate_correlate = {
    .name = "climate correlate",
    .operands = "RUNS.csv|barod...",
    .help = "What correlates with the speed of comparable runs: Pearson's r, "
            "Spearman's rho, p.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct climate_pool_args),
    .run = climate_correlate_run,
    .details =
        "A row a class and measure, against the fraction of peak. p is that of the "
        "one\n"
        "test, p_many that of as many as there are rows (Bonferroni): with a hundred\n"
        "tests one in a hundred is below 0.01 by chance.\n"
        "\n"
        "Example: baro climate correlate -m sc18.conf --pool all edison-*.csv.gz",
};
