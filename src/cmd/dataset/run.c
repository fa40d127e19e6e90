/* SPDX-License-Identifier: Apache-2.0 */
/* run - baro dataset run: a command with datasets mounted for it alone. */
#include "cmd/dataset/args.h"
#include "dataset/mount/mount.h"

struct args {
    struct option_list datasets, views;
    const char *agent;
};

static int dataset_run_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    const struct run_opts opts = {
        .socket = args->agent ? args->agent : AGENT_SOCKET,
        .datasets = args->datasets.items,
        .count = args->datasets.count,
        .views = args->views.items,
        .view_count = args->views.count,
        .command = operands,
        .word_count = (size_t)operand_count,
    };
    struct err err = { 0 };
    int status = EXIT_OK;
    if (operand_count < 1)
        return dataset_args_misused("dataset run", "which command");
    if (args->datasets.count == 0)
        return dataset_args_misused("dataset run", "which dataset (--dataset)");
    int rc = run_with_datasets(&opts, &status, &err);
    return rc < 0 ? dataset_args_failed("dataset run", rc, &err) : status;
}

static const struct option options[] = {
    { "dataset", 'd', OPTION_LIST, offsetof(struct args, datasets), "NAME[:/PATH]",
      "Mount this dataset there, for the command alone; may be repeated" },
    { "view", 0, OPTION_LIST, offsetof(struct args, views), "NAME",
      "Variables of that view of the datasets (baro dataset view); may be repeated" },
    { "agent", 0, OPTION_TEXT, offsetof(struct args, agent), "SOCKET",
      "Where baro-dataset-agent listens; default: " AGENT_SOCKET },
};

const struct command cmd_dataset_run = {
    .name = "dataset run",
    .operands = "COMMAND [ARGUMENT]...",
    .help = "Run a command with datasets, mounted for it until it ends.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = dataset_run_run,
    .details = "Without a path a dataset is at " AGENT_DIRECTORY "/here/NAME.\n",
};
