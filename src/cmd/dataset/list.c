/* SPDX-License-Identifier: Apache-2.0 */
/* list - baro dataset list, diff, stats: datasets, two compared, a server's counters.
 */
#include "cmd/dataset/args.h"
#include "dataset/forwarder/forwarder.h"

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

static int dataset_stats_run(void *arg, int operand_count, char **operands)
{
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    table_init(&table);
    if (operand_count != 1)
        return dataset_args_misused("dataset stats",
                                    "where the server listens for others");
    int rc = forwarder_stats_table(operands[0], &table, &err);
    if (rc == 0)
        rc = dataset_args_print(arg, &table, &err);
    return rc < 0 ? dataset_args_failed("dataset stats", rc, &err) : EXIT_OK;
}

static const struct option stats_options[] = { DATASET_FORM_OPTIONS };

const struct command cmd_dataset_stats = {
    .name = "dataset stats",
    .operands = "ADDRESS",
    .help = "The counters of a baro-datasetd: hits, misses, bytes, what was corrupt.",
    .options = stats_options,
    .option_count = COUNT_OF(stats_options),
    .args_size = sizeof(struct dataset_args),
    .run = dataset_stats_run,
};
