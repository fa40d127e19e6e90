/* SPDX-License-Identifier: Apache-2.0 */
/* view - baro dataset view: variables that a command has with a dataset, by a name. */
#include "dataset/view/view.h"
#include "cmd/dataset/args.h"

#include "base/span.h"

struct args {
    struct dataset_args common;
    bool remove;
};

static int view_change(struct repository *repository, const struct digest *name,
                       char **operands, int count, struct err *err)
{
    char text[VIEW_TEXT_MAX];
    size_t size = 0;
    int rc = view_add_texts(operands + 1, count - 1, text, &size, err);
    return rc < 0 ? rc
                  : repository_view_set(repository, name, span_of(operands[0]),
                                        (struct span){ text, size }, err);
}

static int views_print(const struct args *args, struct repository *repository,
                       const struct digest *name, struct err *err)
{
    AUTO(table_done) struct table table;
    table_init(&table);
    int rc = repository_views(repository, name, &table, err);
    return rc < 0 ? rc : dataset_args_print(&args->common, &table, err);
}

static int dataset_view_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    AUTO(repository_free) struct repository *repository = NULL;
    struct digest name;
    struct err err = { 0 };
    if (operand_count < 1 || operand_count == 2 + (args->remove ? 1 : 0) ||
        (args->remove && operand_count != 2))
        return dataset_args_misused(
            "dataset view", args->remove ? "which view of which dataset"
                                         : "which dataset; of a view: its name, then "
                                           "set VAR=VALUE... prepend VAR=VALUE...");
    int rc = dataset_args_find(&args->common, operands[0], &repository, &name, &err);
    if (rc == 0 && args->remove)
        rc = repository_view_remove(repository, &name, span_of(operands[1]), &err);
    else if (rc == 0 && operand_count > 1)
        rc = view_change(repository, &name, operands + 1, operand_count - 1, &err);
    else if (rc == 0)
        rc = views_print(args, repository, &name, &err);
    return rc < 0 ? dataset_args_failed("dataset view", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    DATASET_REPOSITORY_OPTION,
    { "remove", 0, OPTION_FLAG, offsetof(struct args, remove), NULL,
      "Remove the view" },
    DATASET_FORM_OPTIONS,
};

const struct command cmd_dataset_view = {
    .name = "dataset view",
    .operands = "DATASET [VIEW [set|prepend VARIABLE=VALUE...]...]",
    .help = "Set, list and remove named views: variables that come with a dataset.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = dataset_view_run,
    .details =
        "In a value %m is where the dataset is mounted, and %% a percent sign.\n",
};
