/* SPDX-License-Identifier: Apache-2.0 */
/* put - baro metric put: numbers of the job in which it runs. */
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/request_run.h"

struct metric_put_args {
    const char *agent;
};

static int metric_put_run(void *arg, int operand_count, char **operands)
{
    const struct metric_put_args *args = arg;
    struct err err = { 0 };
    if (operand_count == 0 || operand_count % 2) {
        fprintf(stderr, "baro metric put: wants a NAME and its VALUE, or several\n");
        return EXIT_USAGE;
    }
    int rc = agent_socket_put(args->agent ? args->agent : agent_socket_path(),
                              (size_t)operand_count, operands, &err);
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
