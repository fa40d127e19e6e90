/* SPDX-License-Identifier: Apache-2.0 */
/* tag - baro dataset tag, access: a name for a dataset, and who may read it. */
#include "cmd/dataset/args.h"

struct args {
    struct dataset_args common;
    bool remove;
};

static int dataset_tag_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    AUTO(repository_free) struct repository *repository = NULL;
    struct digest name;
    struct err err = { 0 };
    if (operand_count != (args->remove ? 1 : 2))
        return dataset_args_misused(
            "dataset tag", args->remove ? "which tag" : "which tag of which dataset");
    int rc = args->remove ? dataset_args_open(&args->common, false, &repository, &err)
                          : dataset_args_find(&args->common, operands[1], &repository,
                                              &name, &err);
    if (rc == 0)
        rc = repository_tag(repository, operands[0], args->remove ? NULL : &name, &err);
    return rc < 0 ? dataset_args_failed("dataset tag", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    DATASET_REPOSITORY_OPTION,
    { "remove", 0, OPTION_FLAG, offsetof(struct args, remove), NULL,
      "Remove the tag; the dataset stays until gc" },
};

const struct command cmd_dataset_tag = {
    .name = "dataset tag",
    .operands = "TAG [DATASET]",
    .help = "Set a tag on a dataset, or move it there.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = dataset_tag_run,
};

struct access_args {
    struct dataset_args common;
    struct dataset_access_texts texts;
};

static int dataset_access_run(void *arg, int operand_count, char **operands)
{
    struct access_args *args = arg;
    AUTO(repository_free) struct repository *repository = NULL;
    struct digest name;
    struct err err = { 0 };
    if (operand_count < 1 || operand_count > 2)
        return dataset_args_misused("dataset access", "which dataset, and for whom");
    args->texts.audience = operand_count == 2 ? operands[1] : NULL;
    int rc = dataset_args_find(&args->common, operands[0], &repository, &name, &err);
    if (rc == 0)
        rc = repository_access_change(repository, &name, &args->texts, &err);
    return rc < 0 ? dataset_args_failed("dataset access", rc, &err) : EXIT_OK;
}

static const struct option access_options[] = {
    DATASET_REPOSITORY_OPTION,
    { "owner", 0, OPTION_TEXT, offsetof(struct access_args, texts.owner), "USER",
      "Its owner from now on" },
    { "group", 'g', OPTION_TEXT, offsetof(struct access_args, texts.group), "GROUP",
      "Its group from now on" },
};

const struct command cmd_dataset_access = {
    .name = "dataset access",
    .operands = "DATASET [public|group|private]",
    .help = "Set who may read a dataset through servers: all, its group, its owner.",
    .options = access_options,
    .option_count = COUNT_OF(access_options),
    .args_size = sizeof(struct access_args),
    .run = dataset_access_run,
};
