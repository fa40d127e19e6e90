/* SPDX-License-Identifier: Apache-2.0 */
/* diff - baro dataset diff: which files of two datasets differ. */
#include "cmd/dataset/args.h"

static int dataset_diff_run(void *arg, int operand_count, char **operands)
{
    const struct dataset_args *args = arg;
    AUTO(repository_free) struct repository *repository = NULL;
    AUTO(table_done) struct table table;
    struct digest a, b;
    struct err err = { 0 };
    table_init(&table);
    if (operand_count != 2)
        return dataset_args_misused("dataset diff", "which two datasets");
    int rc = dataset_args_find(args, operands[0], &repository, &a, &err);
    if (rc == 0)
        rc = repository_resolve(repository, operands[1], &b, &err);
    if (rc == 0)
        rc = repository_diff(repository, &a, &b, &table, &err);
    int differs = rc;
    if (rc >= 0)
        rc = dataset_args_print(args, &table, &err);
    if (rc < 0)
        return dataset_args_failed("dataset diff", rc, &err);
    return differs ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    DATASET_REPOSITORY_OPTION,
    DATASET_FORM_OPTIONS,
};

const struct command cmd_dataset_diff = {
    .name = "dataset diff",
    .operands = "DATASET DATASET",
    .help = "Which files of two datasets differ.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct dataset_args),
    .run = dataset_diff_run,
    .details = "The exit status is 1 where they differ.\n",
};
