/* SPDX-License-Identifier: Apache-2.0 */
/* climate_regions - baro climate regions: when runs were slower or faster than their
 * season. */
#include "cmd/climate/args.h"
#include "cmd/commands.h"

#define WHO "baro climate regions"

static int regions_print(const struct climate_pool_args *args,
                         const struct climate_runs *climate,
                         struct run_selection *selection, struct err *err)
{
    AUTO(divergence_done) struct divergence found = { 0 };
    AUTO(table_done) struct table regions = { 0 };
    AUTO(table_done) struct table correlations = { 0 };
    table_init(&regions);
    table_init(&correlations);
    int rc = divergence_make(&climate->mapping, &climate->runs, selection, &found, err);
    if (rc == 0)
        rc = region_table_make(&found, &regions, err);
    if (rc == 0)
        rc = region_correlation_table_make(&found, &correlations, err);
    if (rc < 0)
        return rc;
    const struct table_part parts[] = { { "regions", &regions },
                                        { "correlations", &correlations } };
    runs_notes_add(&climate->mapping, &climate->runs, &regions);
    return table_parts_print(WHO, parts, COUNT_OF(parts), &args->parts, err);
}

static int climate_regions_run(void *args, int operand_count, char **operands)
{
    return climate_args_pooled(WHO, args, operands, operand_count, regions_print);
}

static const struct option options[] = {
    CLIMATE_OPTION_MAP(struct climate_pool_args),
    CLIMATE_OPTION_CLASS(struct climate_pool_args),
    CLIMATE_OPTION_POOL(struct climate_pool_args),
    { "table", 't', OPTION_LIST, offsetof(struct climate_pool_args, parts.wanted),
      "regions|correlations", "Only regions, or only correlations." },
    CLIMATE_OPTION_OUTPUT(struct climate_pool_args),
};

const struct command cmd_climate_regions = {
    .name = "climate regions",
    .operands = "RUNS.csv|barod...",
    .help = "When runs were slower or faster than their season, and what went with it.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct climate_pool_args),
    .run = climate_regions_run,
    .details =
        "A region lies between two crossings of a short and a long moving average of\n"
        "the fraction of peak. Correlations are those of a region's runs whose p is\n"
        "below p_region of the mapping.\n"
        "\n"
        "Example: baro climate regions -m sc18.conf --pool group -c 'mira*' "
        "mira.csv.gz",
    .prints_times = true,
};
