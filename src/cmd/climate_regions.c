/* SPDX-License-Identifier: Apache-2.0 */
/* climate_regions - baro climate regions: when runs parted from their season. */
#include "cmd/climate_ask.h"
#include "cmd/commands.h"

#define WHO "baro climate regions"

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
    AUTO(divergence_done) struct divergence found = { 0 };
    struct run_selection selection = { .pattern = args->set };
    struct err err = { 0 };
    int rc = climate_ask_pool(args->pool, &selection.pool, &err);
    if (rc == 0)
        rc = climate_ask_load(args->map, operands, operand_count, &ask, &err);
    if (rc == 0)
        rc = divergence_make(&ask.mapping, &ask.runs, &selection, &found, &err);
    if (rc == 0) {
        const struct table_part parts[] = { { "regions", &found.regions },
                                            { "correlations", &found.correlations } };
        climate_ask_note(&ask, &found.regions);
        rc = table_parts_print(WHO, parts, COUNT_OF(parts), &args->parts, &err);
    }
    return climate_ask_end(WHO, rc, &err);
}

static const struct option options[] = {
    CLIMATE_OPTION_MAP(struct args),
    CLIMATE_OPTION_CLASS(struct args),
    CLIMATE_OPTION_POOL(struct args),
    { "table", 't', OPTION_LIST, offsetof(struct args, parts.wanted), "NAME",
      "Only regions, or only correlations." },
    CLIMATE_OPTION_OUTPUT(struct args),
};

const struct command cmd_climate_regions = {
    .name = "climate regions",
    .operands = "RUNS.csv[.gz]...",
    .help = "When runs were slower or faster than their season, and what went with it.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .details =
        "A region lies between two crossings of a short and a long moving average of\n"
        "the fraction of peak. Correlations are those of a region's runs whose p is\n"
        "below p_region of the mapping.\n"
        "\n"
        "Example: baro climate regions -m sc18.conf --pool group -c 'mira*' "
        "mira.csv.gz",
};
