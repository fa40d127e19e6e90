/* SPDX-License-Identifier: Apache-2.0 */
/* metric_query - baro metric query and baro metric top: samples, statistics, the
 * largest. */
#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/metric/args.h"
#include "cmd/request_run.h"

#define TOP_DEFAULT 10

/* Send the request with one more parameter, and print the table it gives. */
static int metric_samples_print(const struct metric_args *args, int operand_count,
                                char **operands, const char *name, const char *value,
                                const char *command)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    struct err err = { 0 };
    net_url_init(&url, "/v1/query");
    int rc = metric_args_add(&url, args, operand_count, operands, &err);
    if (rc < 0) {
        (void)request_failed(command, rc, &err);
        return EXIT_USAGE;
    }
    net_url_add(&url, name, value);
    net_url_add(&url, "format", "table");
    return request_run_url(&args->client, &url, command);
}

static int metric_query_run(void *arg, int operand_count, char **operands)
{
    const struct metric_args *args = arg;
    return metric_samples_print(args, operand_count, operands, "statistics",
                                args->statistics ? "only" : NULL, "metric query");
}

static int metric_top_run(void *arg, int operand_count, char **operands)
{
    const struct metric_args *args = arg;
    char limit[NUMBER_DIGITS_MAX + 1];
    uint64_t top = args->client.limit ? args->client.limit : TOP_DEFAULT;
    limit[number_print_u64(limit, top)] = '\0';
    return metric_samples_print(args, operand_count, operands, "top", limit,
                                "metric top");
}

/* clang-format off */
static const struct option query_options[] = {
    METRIC_JOB_OPTION METRIC_PARAMS_RANGE(METRIC_OPTION)
        METRIC_PARAMS_POINTS(METRIC_OPTION) METRIC_PARAMS_COUNTERS(METRIC_OPTION)
    { "statistics", 0, OPTION_FLAG, METRIC_FIELD(statistics), NULL,
      "Count, average, smallest, largest and sum instead of samples." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};
/* clang-format on */

const struct command cmd_metric_query = {
    .name = "metric query",
    .operands = "METRIC [COMPONENT]...",
    .help = "Samples of metrics, or their statistics.",
    .options = query_options,
    .option_count = COUNT_OF(query_options),
    .args_size = sizeof(struct metric_args),
    .run = metric_query_run,
    .details =
        "METRIC is a list of patterns, COMPONENT a path whose levels are lists of "
        "patterns "
        "and sets, such as\n'alex/a[0901-0964]/hwthread:*'; default: every host.\n",
};

/* clang-format off */
static const struct option top_options[] = {
    METRIC_PARAMS_TOP(METRIC_OPTION)
    { "limit", 'l', OPTION_LIMIT, CLIENT_FIELD(limit), "COUNT",
      "So many components; default: 10." },
    METRIC_JOB_OPTION METRIC_PARAMS_RANGE(METRIC_OPTION)
        METRIC_PARAMS_COUNTERS(METRIC_OPTION)
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};
/* clang-format on */

const struct command cmd_metric_top = {
    .name = "metric top",
    .operands = "METRIC [COMPONENT]...",
    .help = "The components where a metric is largest.",
    .options = top_options,
    .option_count = COUNT_OF(top_options),
    .args_size = sizeof(struct metric_args),
    .run = metric_top_run,
};
