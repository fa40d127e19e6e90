/* SPDX-License-Identifier: Apache-2.0 */
/* push - baro dataset push: a dataset of this repository into a server's. */
#include "cmd/dataset/args.h"
#include "dataset/forwarder/forwarder.h"

struct args {
    struct dataset_args common;
    const char *to, *munge, *tag, *access;
    struct option_list labels;
};

static int dataset_push_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    AUTO(repository_free) struct repository *repository = NULL;
    AUTO(table_done) struct table table;
    struct progress_line line = { 0 };
    struct chunk_target_sent sent = { 0 };
    struct err err = { 0 };
    char text[256];
    const struct chunk_target_opts opts = {
        .to = args->to,
        .munge = args->munge,
        .facts = { .tag = args->tag,
                   .audience = args->access,
                   .labels = args->labels.items,
                   .label_count = args->labels.count },
        .progress = dataset_args_progress,
        .progress_arg = &line,
    };
    table_init(&table);
    if (operand_count != 1)
        return dataset_args_misused("dataset push", "which dataset");
    int rc = dataset_args_open(&args->common, false, &repository, &err);
    progress_line_begin(&line, "MiB");
    if (rc == 0)
        rc = chunk_target_push(repository, operands[0], &opts, &sent, &err);
    progress_line_end(&line);
    if (rc == 0 && (rc = chunk_target_table(&sent, &table)) == 0)
        rc = dataset_args_print(&args->common, &table, &err);
    if (rc < 0)
        return dataset_args_failed("dataset push", rc, &err);
    chunk_target_text(&sent, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return EXIT_OK;
}

static const struct option options[] = {
    { "to", 0, OPTION_TEXT, offsetof(struct args, to), "ADDRESS",
      "The baro-datasetd: HOST:PORT or unix:PATH; default: what BARO_DATASET_SERVER "
      "has" },
    DATASET_REPOSITORY_OPTION,
    { "tag", 't', OPTION_TEXT, offsetof(struct args, tag), "TAG",
      "Set this tag on it there: USER/..." },
    { "label", 'l', OPTION_LIST, offsetof(struct args, labels), "KEY=VALUE",
      "Free text stored with it, beside its own; may be repeated" },
    { "access", 'a', OPTION_TEXT, offsetof(struct args, access), "public|group|private",
      "Who may read it there, beside its owner; default: as here" },
    DATASET_MUNGE_OPTION(struct args),
    DATASET_FORM_OPTIONS,
};

const struct command cmd_dataset_push = {
    .name = "dataset push",
    .operands = "DATASET",
    .help = "Send a dataset to a server: what is missing there.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = dataset_push_run,
};
