/* SPDX-License-Identifier: Apache-2.0 */
/* fsck - baro dataset fsck: everything in a repository looked through. */
#include "base/figure.h"
#include "cmd/dataset/args.h"

#include <inttypes.h>

static int dataset_fsck_run(void *arg, int operand_count, char **operands)
{
    const struct dataset_args *args = arg;
    AUTO(repository_free) struct repository *repository = NULL;
    AUTO(table_done) struct table table;
    struct repository_state state = { 0 };
    struct progress_line line = { 0 };
    struct err err = { 0 };
    table_init(&table);
    (void)operands;
    if (operand_count)
        return dataset_args_misused("dataset fsck", "it has no operands");
    int rc = dataset_args_open(args, false, &repository, &err);
    progress_line_begin(&line, "packs");
    if (rc == 0) {
        repository_watch(repository, dataset_args_count, &line);
        rc = repository_fsck(repository, &table, &state, &err);
    }
    progress_line_end(&line);
    if (rc == 0)
        rc = dataset_args_print(args, &table, &err);
    if (rc < 0)
        return dataset_args_failed("dataset fsck", rc, &err);
    char bytes[FIGURE_SIZE];
    figure_print_bytes(bytes, sizeof bytes, (double)state.bytes);
    fprintf(stderr,
            "%" PRIu64 " datasets, %" PRIu64 " chunks, %" PRIu64 " packs, %s: %" PRIu64
            " damaged, %" PRIu64 " notes\n",
            state.datasets, state.chunks, state.packs, bytes, state.damages,
            state.notes);
    return state.damages ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    DATASET_REPOSITORY_OPTION,
    DATASET_FORM_OPTIONS,
};

const struct command cmd_dataset_fsck = {
    .name = "dataset fsck",
    .operands = "",
    .help = "Look through everything in a repository, and change nothing.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct dataset_args),
    .run = dataset_fsck_run,
    .details = "The exit status is 1 when something is damaged.\n",
};
