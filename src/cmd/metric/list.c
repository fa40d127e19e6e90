/* SPDX-License-Identifier: Apache-2.0 */
/* metric_list - baro metric list: which metrics there are, or which components have
 * them. */
#include "cmd/commands.h"
#include "cmd/metric/args.h"
#include "cmd/request_run.h"

static int metric_list_run(void *arg, int operand_count, char **operands)
{
    const struct metric_args *args = arg;
    AUTO(net_url_done) struct net_url url = { 0 };
    struct err err = { 0 };
    int rc = metric_operands_check(operand_count, operands, &err);
    if (rc < 0)
        return request_failed("metric list", rc, &err);
    net_url_init(&url, operand_count ? "/v1/series" : "/v1/metrics");
    metric_operands_add(&url, operand_count, operands);
    if (operand_count && args->client.limit)
        net_url_add_u64(&url, "limit", args->client.limit);
    net_url_add(&url, "format", "table");
    return request_run_url(&args->client, &url, "metric list");
}

static const struct option options[] = {
    { "limit", 'l', OPTION_LIMIT, CLIENT_FIELD(limit), "COUNT",
      "So many series at most." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_metric_list = {
    .name = "metric list",
    .operands = "[METRIC [COMPONENT]...]",
    .help = "Which metrics there are; with operands, which components have them.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct metric_args),
    .run = metric_list_run,
};
