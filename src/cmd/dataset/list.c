/* SPDX-License-Identifier: Apache-2.0 */
/* list - baro dataset list: the datasets of a repository. */
#include "cmd/dataset/args.h"

static int dataset_list_run(void *arg, int operand_count, char **operands)
{
    const struct dataset_args *args = arg;
    AUTO(repository_free) struct repository *repository = NULL;
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    table_init(&table);
    (void)operands;
    if (operand_count)
        return dataset_args_misused("dataset list", "it has no operands");
    int rc = dataset_args_open(args, false, &repository, &err);
    if (rc == 0)
        rc = repository_list(repository, &table, &err);
    if (rc == 0)
        rc = dataset_args_print(args, &table, &err);
    return rc < 0 ? dataset_args_failed("dataset list", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    DATASET_REPOSITORY_OPTION,
    DATASET_FORM_OPTIONS,
};

const struct command cmd_dataset_list = {
    .name = "dataset list",
    .operands = "",
    .help = "The datasets of a repository.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct dataset_args),
    .run = dataset_list_run,
    .prints_times = true,
};
