/* SPDX-License-Identifier: Apache-2.0 */
/* metric_args - the options of requests about metrics, and the parameters they make. */
#include "cmd/metric/args.h"

void metric_operands_add(struct net_url *url, int operand_count, char **operands)
{
    for (int i = 0; i < operand_count; i++)
        net_url_add(url, i == 0 ? "metric" : "component", operands[i]);
}

void metric_args_add(struct net_url *url, const struct metric_args *args,
                     int operand_count, char **operands)
{
    metric_operands_add(url, operand_count, operands);
    net_url_add(url, "from", args->client.from);
    net_url_add(url, "to", args->client.to);
    net_url_add(url, "last", args->client.last);
    net_url_add(url, "step", args->client.step);
    net_url_add(url, "aggregate", args->aggregate);
    net_url_add(url, "by", args->by);
    net_url_add(url, "resample", args->resample);
}
