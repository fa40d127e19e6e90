/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_series - baro jobstats series: which time series there are. */
#include "cmd/commands.h"
#include "cmd/request_run.h"

static int jobstats_series_run(void *arg, int operand_count, char **operands)
{
    struct client_args *args = arg;
    (void)operands;
    int status = EXIT_USAGE;
    if (operand_count)
        fprintf(stderr, "baro jobstats series: no operands are accepted\n");
    else
        status = request_run(args, CLIENT_SERIES, "jobstats series");
    return status;
}

static const struct option options[] = {
    CLIENT_FILTER_OPTIONS,
    CLIENT_ENDPOINT_OPTIONS,
};

const struct command cmd_jobstats_series = {
    .name = "jobstats series",
    .operands = "",
    .help = "Which time series there are, and what their identifiers mean.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct client_args),
    .run = jobstats_series_run,
};
