/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_rates - baro jobstats rates: totals and rates by window and group. */
#include "cmd/commands.h"
#include "cmd/request_run.h"

static int jobstats_rates_run(void *arg, int operand_count, char **operands)
{
    struct client_args *args = arg;
    (void)operands;
    int status = EXIT_USAGE;
    if (operand_count)
        fprintf(stderr, "baro jobstats rates: no operands are accepted\n");
    else
        status = request_run(args, CLIENT_RATES, "jobstats rates");
    return status;
}

static const struct option options[] = {
    CLIENT_SUM_OPTIONS,
    CLIENT_WINDOW_OPTIONS,
    { "step", 0, OPTION_TEXT, CLIENT_FIELD(step), "DURATION",
      "Cut the window in pieces of this length." },
    { "density", 0, OPTION_FLAG, CLIENT_FIELD(density), NULL,
      "Count the groups by the decade of their rate instead of listing them." },
    CLIENT_FILTER_OPTIONS,
    CLIENT_ENDPOINT_OPTIONS,
};

const struct command cmd_jobstats_rates = {
    .name = "jobstats rates",
    .operands = "",
    .help = "Totals and rates of operations, by window and group.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct client_args),
    .run = jobstats_rates_run,
};
