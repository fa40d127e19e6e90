/* SPDX-License-Identifier: Apache-2.0 */
/* baro-dataset-agent - datasets mounted on a node, for baro dataset run. */
#include "base/number.h"
#include "dataset/mount/mount.h"
#include "dataset/program/program.h"

struct agent_args {
    struct dataset_program_args common;
    const char *dir, *user;
    int64_t lease_ns;
};

static struct agent_opts agent_opts_of(const struct agent_args *args)
{
    int64_t lease_ns = args->lease_ns ? args->lease_ns : 3600 * NS_PER_S;
    return (struct agent_opts){
        .directory = args->dir ? args->dir : AGENT_DIRECTORY,
        .user = args->user ? args->user : AGENT_USER,
        .lease_s = (uint64_t)(lease_ns / NS_PER_S),
    };
}

static int dataset_agent_check(const void *args, const struct forwarder_opts *opts,
                               const struct forwarder_report *report, struct err *err)
{
    const struct agent_opts agent = agent_opts_of(args);
    (void)report;
    return agent_check(&agent, opts, err);
}

static int dataset_agent_serve(const void *args, const struct forwarder_opts *opts,
                               const struct forwarder_report *report, struct err *err)
{
    struct agent_opts agent = agent_opts_of(args);
    agent.forwarder = opts;
    agent.report = report;
    return agent_run(&agent, err);
}

static int dataset_agent_main(void *arg, int operand_count, char **operands)
{
    return dataset_program_run(arg, operand_count, operands, dataset_agent_check,
                               dataset_agent_serve);
}

static const struct option agent_options[] = {
    DATASET_PROGRAM_OPTIONS,
    { "directory", 'd', OPTION_TEXT, offsetof(struct agent_args, dir), "DIRECTORY",
      "Where images are mounted, and commands connect; default: " AGENT_DIRECTORY },
    { "user", 'u', OPTION_TEXT, offsetof(struct agent_args, user), "USER",
      "Who reads what comes from upstreams; default: " AGENT_USER },
    { "lease", 0, OPTION_DURATION, offsetof(struct agent_args, lease_ns), "DURATION",
      "How long a mounted dataset is retained for a node that is silent; default 1h." },
};

int main(int argc, char **argv)
{
    static const struct command command = {
        .name = "baro-dataset-agent",
        .operands = "",
        .help = "Mount datasets on a node, for baro dataset run.",
        .options = agent_options,
        .option_count = COUNT_OF(agent_options),
        .args_size = sizeof(struct agent_args),
        .run = dataset_agent_main,
        .details = "SIGUSR1 writes the counters to the log; SIGHUP starts it anew, "
                   "mounts stay; "
                   "SIGTERM ends it.",
    };
    return dataset_program_main(&command, argc, argv);
}
