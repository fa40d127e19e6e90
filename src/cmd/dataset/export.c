/* SPDX-License-Identifier: Apache-2.0 */
/* export - baro dataset export, verify: an image as a file, or read and hashed. */
#include "cmd/dataset/args.h"

#include <string.h>

static int dataset_export_run(void *arg, int operand_count, char **operands)
{
    AUTO(repository_free) struct repository *repository = NULL;
    struct progress_line line = { 0 };
    struct digest name;
    struct err err = { 0 };
    if (operand_count != 2)
        return dataset_args_misused("dataset export", "which dataset to which file");
    int rc = dataset_args_find(arg, operands[0], &repository, &name, &err);
    progress_line_begin(&line, "MiB");
    if (rc == 0) {
        repository_watch(repository, dataset_args_progress, &line);
        rc = strcmp(operands[1], "-") == 0
                 ? repository_export(repository, &name, STDOUT_FILENO, &err)
                 : repository_export_file(repository, &name, operands[1], &err);
    }
    progress_line_end(&line);
    return rc < 0 ? dataset_args_failed("dataset export", rc, &err) : EXIT_OK;
}

static const struct option options[] = { DATASET_REPOSITORY_OPTION };

const struct command cmd_dataset_export = {
    .name = "dataset export",
    .operands = "DATASET FILE|-",
    .help = "Write the image of a dataset to a file, each chunk verified.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct dataset_args),
    .run = dataset_export_run,
    .prints_data = true,
};

static int verify_one(struct repository *repository, const char *spec, struct err *err)
{
    struct progress_line line = { 0 };
    struct digest name;
    char text[DIGEST_TEXT_SIZE];
    int rc = repository_resolve(repository, spec, &name, err);
    if (rc < 0)
        return rc;
    progress_line_begin(&line, "MiB");
    repository_watch(repository, dataset_args_progress, &line);
    rc = repository_verify(repository, &name, err);
    progress_line_end(&line);
    digest_print(&name, text);
    if (rc == 0)
        printf("%s: every chunk is right\n", text);
    return rc;
}

static int dataset_verify_run(void *arg, int operand_count, char **operands)
{
    AUTO(repository_free) struct repository *repository = NULL;
    struct err err = { 0 };
    if (operand_count < 1)
        return dataset_args_misused("dataset verify", "which datasets");
    int rc = dataset_args_open(arg, false, &repository, &err);
    for (int i = 0; rc == 0 && i < operand_count; i++)
        rc = verify_one(repository, operands[i], &err);
    return rc < 0 ? dataset_args_failed("dataset verify", rc, &err) : EXIT_OK;
}

const struct command cmd_dataset_verify = {
    .name = "dataset verify",
    .operands = "DATASET...",
    .help = "Read every chunk of datasets, and compare its SHA-256.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct dataset_args),
    .run = dataset_verify_run,
};
