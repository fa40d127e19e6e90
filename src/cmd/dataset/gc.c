/* SPDX-License-Identifier: Apache-2.0 */
/* gc - baro dataset gc, fsck: what nothing refers to is removed; all is looked through.
 */
#include "base/number.h"
#include "cmd/dataset/args.h"

#define WAIT_NS (60 * NS_PER_S)

struct args {
    struct dataset_args common;
    const char *grace;
    bool dry_run;
};

static int dataset_gc_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    AUTO(repository_free) struct repository *repository = NULL;
    AUTO(table_done) struct table table;
    struct repository_gc opts = { .is_trial = args->dry_run, .wait_ns = WAIT_NS };
    struct repository_freed freed = { 0 };
    struct progress_line line = { 0 };
    struct err err = { 0 };
    char text[256];
    table_init(&table);
    (void)operands;
    if (operand_count)
        return dataset_args_misused("dataset gc", "it has no operands");
    int rc = repository_grace_parse(args->grace, &opts.grace_ns, &err);
    if (rc == 0)
        rc = dataset_args_open(&args->common, false, &repository, &err);
    progress_line_begin(&line, "packs");
    if (rc == 0) {
        repository_watch(repository, dataset_args_count, &line);
        rc = repository_gc(repository, &opts, &table, &freed, &err);
    }
    progress_line_end(&line);
    if (rc == 0 || table.row_count) { /* what was done before it failed, too */
        int print_rc = dataset_args_print(&args->common, &table, rc < 0 ? NULL : &err);
        repository_freed_text(&freed, args->dry_run, text, sizeof text);
        fprintf(stderr, "%s\n", text);
        rc = rc < 0 ? rc : print_rc;
    }
    return rc < 0 ? dataset_args_failed("dataset gc", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    DATASET_REPOSITORY_OPTION,
    { "grace", 'g', OPTION_TEXT, offsetof(struct args, grace), "DURATION",
      "Younger datasets are retained; default: " REPOSITORY_GRACE },
    { "dry-run", 'n', OPTION_FLAG, offsetof(struct args, dry_run), NULL,
      "Remove nothing: print what would be, and why each is retained" },
    DATASET_FORM_OPTIONS,
};

const struct command cmd_dataset_gc = {
    .name = "dataset gc",
    .operands = "",
    .help = "Remove datasets that nothing refers to, and free their space.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = dataset_gc_run,
};

static int dataset_fsck_run(void *arg, int operand_count, char **operands)
{
    const struct dataset_args *args = arg;
    AUTO(repository_free) struct repository *repository = NULL;
    AUTO(table_done) struct table table;
    struct repository_state state = { 0 };
    struct progress_line line = { 0 };
    struct err err = { 0 };
    char text[256];
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
    repository_state_text(&state, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return state.damages ? EXIT_FAILED : EXIT_OK;
}

static const struct option fsck_options[] = { DATASET_REPOSITORY_OPTION,
                                              DATASET_FORM_OPTIONS };

const struct command cmd_dataset_fsck = {
    .name = "dataset fsck",
    .operands = "",
    .help = "Look through everything in a repository, and change nothing.",
    .options = fsck_options,
    .option_count = COUNT_OF(fsck_options),
    .args_size = sizeof(struct dataset_args),
    .run = dataset_fsck_run,
    .details = "The exit status is 1 when something is damaged.\n",
};
