/* SPDX-License-Identifier: Apache-2.0 */
/* baro-datasetd - serves datasets of a repository, or forwards them from upstreams. */
#include "dataset/program/program.h"

static int datasetd_check(const void *args, const struct forwarder_opts *opts,
                          const struct forwarder_report *report, struct err *err)
{
    (void)args;
    (void)report;
    return forwarder_check(opts, err);
}

static int datasetd_serve(const void *args, const struct forwarder_opts *opts,
                          const struct forwarder_report *report, struct err *err)
{
    (void)args;
    return forwarder_run(opts, report, err);
}

static int datasetd_main(void *arg, int operand_count, char **operands)
{
    return dataset_program_run(arg, operand_count, operands, datasetd_check,
                               datasetd_serve);
}

static const struct option datasetd_options[] = { DATASET_PROGRAM_OPTIONS };

int main(int argc, char **argv)
{
    static const struct command command = {
        .name = "baro-datasetd",
        .operands = "",
        .help = "Serve datasets of a repository, or forward them from upstreams.",
        .options = datasetd_options,
        .option_count = COUNT_OF(datasetd_options),
        .args_size = sizeof(struct dataset_program_args),
        .run = datasetd_main,
        .details = "SIGUSR1 writes the counters to the log; SIGTERM ends it.",
    };
    return dataset_program_main(&command, argc, argv);
}
