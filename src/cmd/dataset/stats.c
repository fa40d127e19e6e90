/* SPDX-License-Identifier: Apache-2.0 */
/* stats - baro dataset stats: the counters of a baro-datasetd. */
#include "cmd/dataset/args.h"
#include "dataset/forwarder/forwarder.h"

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

static const struct option options[] = { DATASET_FORM_OPTIONS };

const struct command cmd_dataset_stats = {
    .name = "dataset stats",
    .operands = "ADDRESS",
    .help = "The counters of a baro-datasetd: hits, misses, bytes, what was corrupt.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct dataset_args),
    .run = dataset_stats_run,
};
