/* SPDX-License-Identifier: Apache-2.0 */
/* profile - baro dataset profile: what a dataset's start reads, to come ahead of it. */
#include "cmd/dataset/args.h"
#include "dataset/mount/mount.h"

struct args {
    struct dataset_args common;
    const char *agent;
};

static int dataset_profile_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    AUTO(repository_free) struct repository *repository = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct profile_change change;
    char spec[DATASET_TAG_MAX + 1];
    struct digest name;
    struct err err = { 0 };
    int status = EXIT_OK;
    if (profile_change_parse(operands, (size_t)operand_count, &change) < 0)
        return dataset_args_misused("dataset profile", "record, set, drop or print");
    change.socket = args->agent ? args->agent : AGENT_SOCKET;
    int rc = profile_change_name(&change, spec, &err);
    if (rc == 0)
        rc = dataset_args_find(&args->common, spec, &repository, &name, &err);
    if (rc == 0)
        rc = profile_change_do(&change, repository, &name, &text, &status, &err);
    if (rc == 0 && change.verb == PROFILE_PRINT)
        rc = output_print(&text, &err);
    return rc < 0 ? dataset_args_failed("dataset profile", rc, &err) : status;
}

static const struct option options[] = {
    DATASET_REPOSITORY_OPTION,
    { "agent", 0, OPTION_TEXT, offsetof(struct args, agent), "SOCKET",
      "Of record: where baro-dataset-agent listens; default: " AGENT_SOCKET },
};

const struct command cmd_dataset_profile = {
    .name = "dataset profile",
    .operands = "record|set|drop|print DATASET [FILE | COMMAND [ARGUMENT]...]",
    .help = "Record which chunks a dataset's start reads, so that they come before.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = dataset_profile_run,
};
