/* SPDX-License-Identifier: Apache-2.0 */
/* climate_contributors - baro climate contributors: what was at its worst when a run
 * was. */
#include "cmd/climate_ask.h"
#include "cmd/commands.h"

#define WHO "baro climate contributors"

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
        const struct table_part parts[] = { { "measures", &found.measures },
                                            { "anomalies", &found.anomalies } };
        climate_ask_note(&ask, &found.measures);
        rc = table_parts_print(WHO, parts, COUNT_OF(parts), &args->parts, &err);
    }
    return climate_ask_end(WHO, rc, &err);
}

static const struct option options[] = {
    CLIMATE_OPTION_MAP(struct args),
    CLIMATE_OPTION_CLASS(struct args),
    CLIMATE_OPTION_POOL(struct args),
    { "table", 't', OPTION_LIST, offsetof(struct args, parts.wanted), "NAME",
      "Only measures, or only anomalies." },
    CLIMATE_OPTION_OUTPUT(struct args),
};

const struct command cmd_climate_contributors = {
    .name = "climate contributors",
    .operands = "RUNS.csv[.gz]...",
    .help =
        "What was at its worst when a run was: the slowest of each region, and why.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .details =
        "A measure contributed to the slowest run of a region when it had the worst\n"
        "value of the region there, and few of its values are as bad (p, below\n"
        "p_contributor of the mapping).\n"
        "\n"
        "Example: baro climate contributors -m sc18.conf -t measures edison-*.csv.gz",
};
