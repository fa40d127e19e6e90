/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_series - baro jobstats series: which time series there are. */
#include "cmd/asking.h"
#include "cmd/commands.h"

static int run(void *arg, int operand_count, char **operands)
{
    struct asking_args *args = arg;
    (void)operands;
    int status = EXIT_USAGE;
    if (operand_count)
        fprintf(stderr, "baro jobstats series: takes no operands\n");
    else
        status = asking_run(args, ASKING_SERIES, "jobstats series");
    return status;
}

static const struct option options[] = {
    ASKING_FILTER_OPTIONS,
    ASKING_WAY_OPTIONS,
};

const struct command cmd_jobstats_series = {
    .name = "jobstats series",
    .operands = "",
    .help = "Which time series there are, and what their identifiers say.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct asking_args),
    .run = run,
};
