/* SPDX-License-Identifier: Apache-2.0 */
/* climate_map - baro climate map: a mapping for an undescribed table. */
#include "analysis/climate/climate.h"
#include "analysis/table/table.h"
#include "cmd/commands.h"

static int climate_map_run(void *args, int operand_count, char **operands)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    (void)args;
    if (operand_count != 1) {
        fprintf(stderr, "baro climate map: wants one table of runs\n");
        return EXIT_USAGE;
    }
    int rc = guess_mapping(operands[0], &out, &err);
    (void)fputs(strbuf_text(&out), stdout); /* the dispatcher finds out */
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "baro climate map: %s\n", err.text);
    return err_exit_status(rc);
}

const struct command cmd_climate_map = {
    .name = "climate map",
    .operands = "RUNS.csv",
    .help = "A commented mapping for a table, guessed from its names and first rows.",
    .run = climate_map_run,
    .prints_data = true,
    .details =
        "Reads the first 5,000 rows of a table and prints what baro climate study "
        "--map\n"
        "has to know of it: what divides fields, how numbers and times are written,\n"
        "which columns hold the time of a run and its speed, which runs are "
        "comparable,\n"
        "and what may have slowed them down. It is a guess, for you to read and "
        "correct.\n"
        "\n"
        "Example: baro climate map runs.csv >runs.conf\n"
        "         baro climate study --map runs.conf runs.csv",
};
