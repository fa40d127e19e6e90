/* SPDX-License-Identifier: Apache-2.0 */
/* show - baro dataset show: what is known of one dataset, or its files. */
#include "cmd/dataset/args.h"

struct args {
    struct dataset_args common;
    bool files, jobs, nodes;
};

static int dataset_show_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    AUTO(repository_free) struct repository *repository = NULL;
    AUTO(strbuf_done) struct strbuf files = STRBUF_INIT;
    AUTO(table_done) struct table table;
    struct digest name;
    struct err err = { 0 };
    table_init(&table);
    if (operand_count != 1)
        return dataset_args_misused("dataset show", "which dataset");
    int rc = dataset_args_find(&args->common, operands[0], &repository, &name, &err);
    if (rc == 0 && args->files) {
        rc = repository_manifest(repository, &name, &files, &err);
        rc = rc < 0 ? rc : output_print(&files, &err);
    } else if (rc == 0) {
        rc = (args->jobs    ? repository_jobs
              : args->nodes ? repository_nodes
                            : repository_show)(repository, &name, &table, &err);
        if (rc == 0)
            rc = dataset_args_print(&args->common, &table, &err);
    }
    return rc < 0 ? dataset_args_failed("dataset show", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    DATASET_REPOSITORY_OPTION,
    { "files", 'f', OPTION_FLAG, offsetof(struct args, files), NULL,
      "Its files instead, a line each, with the SHA-256 of their content" },
    { "jobs", 'j', OPTION_FLAG, offsetof(struct args, jobs), NULL,
      "The jobs that had references of it instead, within a year" },
    { "nodes", 'N', OPTION_FLAG, offsetof(struct args, nodes), NULL,
      "The nodes that have it mounted now instead, and for which jobs" },
    DATASET_FORM_OPTIONS,
};

const struct command cmd_dataset_show = {
    .name = "dataset show",
    .operands = "DATASET",
    .help = "What is known of a dataset: who made it of what, tags, references.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = dataset_show_run,
    .prints_times = true,
};
