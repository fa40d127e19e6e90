/* SPDX-License-Identifier: Apache-2.0 */
/* run - baro dataset run: a command with datasets mounted for it alone. */
#include "cmd/dataset/args.h"

#include "base/number.h"
#include "base/span.h"
#include "dataset/mount/mount.h"

#define HOOKS "/etc/barograph/dataset-hooks.d"
#define WRITABLE_MIN (UINT64_C(1) << 20)

struct args {
    struct option_list datasets, views, binds;
    const char *agent, *root, *writable, *hooks, *record_profile;
    bool map_root;
};

static int dataset_run_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    uint64_t writable = 0;
    if (args->writable && (number_parse_size(span_of(args->writable), &writable) < 0 ||
                           writable < WRITABLE_MIN))
        return dataset_args_misused("dataset run", "--writable: 1MiB or more");
    if (args->binds.count > RUN_BINDS_MAX)
        return dataset_args_misused("dataset run", "at most 16 of --bind");
    const struct run_opts opts = {
        .socket = args->agent ? args->agent : AGENT_SOCKET,
        .datasets = args->datasets.items,
        .count = args->datasets.count,
        .views = args->views.items,
        .view_count = args->views.count,
        .root = args->root,
        .writable_bytes = writable,
        .is_mapped_to_root = args->map_root,
        .binds = args->binds.items,
        .bind_count = args->binds.count,
        .hooks = args->hooks ? args->hooks : HOOKS,
        .record_path = args->record_profile,
        .command = operands,
        .word_count = (size_t)operand_count,
    };
    struct err err = { 0 };
    int status = EXIT_OK;
    if (operand_count < 1)
        return dataset_args_misused("dataset run", "which command");
    if (args->datasets.count == 0 && !args->root)
        return dataset_args_misused("dataset run", "which dataset (--dataset, --root)");
    int rc = run_with_datasets(&opts, &status, &err);
    return rc < 0 ? dataset_args_failed("dataset run", rc, &err) : status;
}

static const struct option options[] = {
    { "dataset", 'd', OPTION_LIST, offsetof(struct args, datasets), "NAME[:/PATH]",
      "Mount this dataset there, for the command alone; may be repeated" },
    { "view", 0, OPTION_LIST, offsetof(struct args, views), "NAME",
      "Variables of that view of the datasets (baro dataset view); may be repeated" },
    { "root", 0, OPTION_TEXT, offsetof(struct args, root), "NAME",
      "This dataset is the root of all paths of the command" },
    { "writable", 0, OPTION_TEXT, offsetof(struct args, writable), "SIZE",
      "The command may write in its datasets: into memory, of each so many bytes" },
    { "map-root", 0, OPTION_FLAG, offsetof(struct args, map_root), NULL,
      "The command sees its user as root, in a user namespace" },
    { "bind", 0, OPTION_LIST, offsetof(struct args, binds), "DIRECTORY",
      "Of --root: it stays where it is, as home and scratch do; may be repeated" },
    { "hooks", 0, OPTION_TEXT, offsetof(struct args, hooks), "DIRECTORY",
      "Of --root: programs of the site; default: " HOOKS },
    { "record-profile", 0, OPTION_TEXT, offsetof(struct args, record_profile), "FILE",
      "Write there what is read of the first dataset (baro dataset profile set)" },
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
