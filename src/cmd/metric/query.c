/* SPDX-License-Identifier: Apache-2.0 */
/* metric_query - baro metric query and baro metric top: samples, statistics, the
 * largest. */
#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/metric/args.h"
#include "cmd/request_run.h"

#include <stdio.h>

#define TOP_DEFAULT 10

static bool has_operands(const char *command, int count)
{
    if (count >= 1)
        return true;
    fprintf(stderr, "baro %s: which metric, and of which components? see --help\n",
            command);
    return false;
}

static int metric_query_run(void *arg, int operand_count, char **operands)
{
    const struct metric_args *args = arg;
    AUTO(net_url_done) struct net_url url = { 0 };
    if (!has_operands("metric query", operand_count))
        return EXIT_USAGE;
    net_url_init(&url, "/v1/query");
    metric_args_add(&url, args, operand_count, operands);
    net_url_add(&url, "statistics", args->statistics ? "only" : NULL);
    net_url_add(&url, "format", "table");
    return request_run_url(&args->client, &url, "metric query");
}

static int metric_top_run(void *arg, int operand_count, char **operands)
{
    const struct metric_args *args = arg;
    AUTO(net_url_done) struct net_url url = { 0 };
    char limit[NUMBER_DIGITS_MAX + 1];
    if (!has_operands("metric top", operand_count))
        return EXIT_USAGE;
    uint64_t top = args->client.limit ? args->client.limit : TOP_DEFAULT;
    limit[number_print_u64(limit, top)] = '\0';
    net_url_init(&url, "/v1/query");
    metric_args_add(&url, args, operand_count, operands);
    net_url_add(&url, "top", limit);
    net_url_add(&url, "format", "table");
    return request_run_url(&args->client, &url, "metric top");
}

static const struct option query_options[] = {
    METRIC_RANGE_OPTIONS,
    { "step", 0, OPTION_TEXT, CLIENT_FIELD(step), "DURATION",
      "Distance of points; default: as they are kept." },
    { "resample", 0, OPTION_TEXT, METRIC_FIELD(resample), "HOW",
      "average (default) or triangles: the shape of the line." },
    { "statistics", 0, OPTION_FLAG, METRIC_FIELD(statistics), NULL,
      "Count, average, smallest, largest and sum instead of samples." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

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

static const struct option top_options[] = {
    { "by", 'b', OPTION_TEXT, METRIC_FIELD(by), "WHAT",
      "Largest what: avg (default), min, max or sum." },
    { "limit", 'l', OPTION_LIMIT, CLIENT_FIELD(limit), "COUNT",
      "So many components; default: 10." },
    METRIC_RANGE_OPTIONS,
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_metric_top = {
    .name = "metric top",
    .operands = "METRIC [COMPONENT]...",
    .help = "The components where a metric is largest.",
    .options = top_options,
    .option_count = COUNT_OF(top_options),
    .args_size = sizeof(struct metric_args),
    .run = metric_top_run,
};
