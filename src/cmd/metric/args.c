/* SPDX-License-Identifier: Apache-2.0 */
/* metric_args - the options of requests about metrics, and the parameters they make. */
#include "cmd/metric/args.h"

void metric_args_add(struct net_url *url, const struct metric_args *args,
                     int operand_count, char **operands)
{
    net_url_add(url, "metric", operand_count > 0 ? operands[0] : NULL);
    net_url_add(url, "component", operand_count > 1 ? operands[1] : NULL);
    net_url_add(url, "from", args->client.from);
    net_url_add(url, "to", args->client.to);
    net_url_add(url, "last", args->client.last);
    net_url_add(url, "step", args->client.step);
    net_url_add(url, "aggregate", args->aggregate);
    net_url_add(url, "by", args->by);
    net_url_add(url, "resample", args->resample);
}
