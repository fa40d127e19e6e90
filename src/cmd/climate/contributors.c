/* SPDX-License-Identifier: Apache-2.0 */
/* climate_contributors - baro climate contributors: what was at its worst when a run
 * was. */
#include "cmd/climate/args.h"
#include "cmd/commands.h"

#define WHO "baro climate contributors"

static int contributors_print(const struct climate_pool_args *args,
                              const struct climate_runs *climate,
                              struct run_selection *selection, struct err *err)
{
    AUTO(divergence_done) struct divergence found = { 0 };
    AUTO(table_done) struct table measures = { 0 };
    AUTO(table_done) struct table anomalies = { 0 };
    table_init(&measures);
    table_init(&anomalies);
    int rc = divergence_make(&climate->mapping, &climate->runs, selection, &found, err);
    if (rc == 0)
        rc = contributor_table_make(&found, &measures, err);
    if (rc == 0)
        rc = anomaly_table_make(&found, &anomalies, err);
    if (rc < 0)
        return rc;
    const struct table_part parts[] = { { "measures", &measures },
                                        { "anomalies", &anomalies } };
    runs_notes_add(&climate->mapping, &climate->runs, &measures);
    return table_parts_print(WHO, parts, COUNT_OF(parts), &args->parts, err);
}

static int climate_contributors_run(void *args, int operand_count, char **operands)
{
    return climate_args_pooled(WHO, args, operands, operand_count, contributors_print);
}

static const struct option options[] = {
    CLIMATE_OPTION_MAP(struct climate_pool_args),
    CLIMATE_OPTION_CLASS(struct climate_pool_args),
    CLIMATE_OPTION_POOL(struct climate_pool_args),
    { "table", 't', OPTION_LIST, offsetof(struct climate_pool_args, parts.wanted),
      "measures|anomalies", "Only measures, or only anomalies." },
    CLIMATE_OPTION_OUTPUT(struct climate_pool_args),
};

const struct command cmd_climate_contributors = {
    .name = "climate contributors",
    .operands = "RUNS.csv|barod...",
    .help =
        "What was at its worst when a run was: the slowest of each region, and why.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct climate_pool_args),
    .run = climate_contributors_run,
    .details =
        "A measure contributed to the slowest run of a region when it had the worst\n"
        "value of the region there, and few of its values are as bad (p, below\n"
        "p_contributor of the mapping).\n"
        "\n"
        "Example: baro climate contributors -m sc18.conf -t measures edison-*.csv.gz",
    .prints_times = true,
};
