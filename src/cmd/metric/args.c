/* SPDX-License-Identifier: Apache-2.0 */
/* metric_args - the options of requests about metrics, and the parameters they make. */
#include "cmd/metric/args.h"

#include "base/clock.h"
#include "base/span.h"

void metric_operands_add(struct net_url *url, int operand_count, char **operands)
{
    for (int i = 0; i < operand_count; i++)
        net_url_add(url, i == 0 ? "metric" : "component", operands[i]);
}

int metric_operands_check(int operand_count, char **operands, struct err *err)
{
    /* No metric's name has a slash, and most paths of components have. */
    if (operand_count < 1 || !strchr(operands[0], '/') ||
        (operand_count > 1 && strchr(operands[1], '/')))
        return 0;
    return err_set(err, EINVAL,
                   "'%s' is a component: the metric comes before it: %s %s",
                   operands[0], operand_count > 1 ? operands[1] : "'*'", operands[0]);
}

static int param_add(struct net_url *url, struct metric_params *checked,
                     const char *name, const char *value, struct err *err)
{
    struct err own = { 0 };
    int rc = value ? metric_param_parse(checked, span_of(name), span_of(value),
                                        clock_now_ns(), &own)
                   : 0;
    net_url_add(url, name, value);
    return rc < 0 ? err_set(err, -rc, "--%s", own.text) : 0;
}

int metric_args_add(struct net_url *url, const struct metric_args *args,
                    int operand_count, char **operands, struct err *err)
{
    struct metric_params checked;
    const struct {
        const char *name, *value;
    } given[] = {
#define METRIC_ARGS_GIVEN(name, value, choices, help) { #name, args->params.name },
        METRIC_PARAMS(METRIC_ARGS_GIVEN)
    };
    int rc = 0;
    if (operand_count < 1)
        return err_set(err, EINVAL,
                       "which metric, and of which components? see --help");
    rc = metric_operands_check(operand_count, operands, err);
    if (rc < 0)
        return rc;
    metric_params_init(&checked, clock_now_ns());
    metric_operands_add(url, operand_count, operands);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(given); i++)
        rc = param_add(url, &checked, given[i].name, given[i].value, err);
    net_url_add(url, "job", args->job);
    if (!args->params.counters)
        net_url_add(url, "counters", "rate");
    return rc == 0 ? metric_params_settle(&checked, err) : rc;
}
