/* SPDX-License-Identifier: Apache-2.0 */
/* put - baro metric put: numbers of the job in which it runs. */
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/request_run.h"

#include <math.h>

struct metric_put_args {
    const char *agent;
};

static int add_request(struct strbuf *lines, const char *name, const char *value,
                       struct err *err)
{
    double number = 0;
    if (number_parse_double(span_of(value), &number) < 0 || !isfinite(number))
        return err_set(err, EINVAL, "'%s' is not a finite number, the value of %s",
                       value, name);
    if (strpbrk(name, " \n"))
        return err_set(err, EINVAL, "'%s' is not the name of a metric", name);
    strbuf_addf(lines, "metric %s %s\n", name, value);
    return strbuf_error(lines);
}

static int metric_put_run(void *arg, int operand_count, char **operands)
{
    const struct metric_put_args *args = arg;
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    struct err err = { 0 };
    int rc = 0;
    if (operand_count == 0 || operand_count % 2) {
        fprintf(stderr, "baro metric put: wants a NAME and its VALUE, or several\n");
        return EXIT_USAGE;
    }
    for (int i = 0; rc == 0 && i < operand_count; i += 2)
        rc = add_request(&lines, operands[i], operands[i + 1], &err);
    if (rc == 0)
        rc = agent_socket_submit(args->agent ? args->agent : agent_socket_path(),
                                 strbuf_span(&lines), &err);
    return rc < 0 ? request_failed("metric put", rc, &err) : EXIT_OK;
}

static const struct option metric_put_options[] = {
    { "agent", 'a', OPTION_TEXT, offsetof(struct metric_put_args, agent), "SOCKET",
      "The agent's socket; default: BARO_AGENT, or " AGENT_SOCKET_DEFAULT "." },
};

const struct command cmd_metric_put = {
    .name = "metric put",
    .operands = "NAME VALUE [NAME VALUE]...",
    .help = "Submit numbers of the job in which it runs.",
    .options = metric_put_options,
    .option_count = COUNT_OF(metric_put_options),
    .args_size = sizeof(struct metric_put_args),
    .run = metric_put_run,
};
