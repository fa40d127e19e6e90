/* SPDX-License-Identifier: Apache-2.0 */
/* metric_args - the options of requests about metrics, and the parameters they make. */
#include "cmd/metric_args.h"

void metric_args_add(struct client_url *url, const struct metric_args *args,
                     int operand_count, char **operands)
{
    client_url_add(url, "metric", operand_count > 0 ? operands[0] : NULL);
    client_url_add(url, "component", operand_count > 1 ? operands[1] : NULL);
    client_url_add(url, "from", args->client.from);
    client_url_add(url, "to", args->client.to);
    client_url_add(url, "last", args->client.last);
    client_url_add(url, "step", args->client.step);
    client_url_add(url, "aggregate", args->aggregate);
    client_url_add(url, "by", args->by);
    client_url_add(url, "resample", args->resample);
}
