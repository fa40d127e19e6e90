/* SPDX-License-Identifier: Apache-2.0 */
/* create - baro dataset create, import, pull: files, an image, or another
 * repository's dataset becomes one here. */
#include "cmd/dataset/args.h"
#include "dataset/forwarder/forwarder.h"

struct args {
    struct dataset_args common;
    const char *tag;
    struct option_list labels;
    bool allow_setuid, allow_special;
    const char *access, *from, *munge;
};

typedef int (*admission_fn)(struct repository *repository,
                            const struct dataset_admission *in,
                            struct dataset_added *ret, struct err *err);

/* A new version of base, which as many may read unless --access is given. */
static int base_update(struct repository *repository, const struct args *args,
                       const char *base, struct dataset_admission *in,
                       struct dataset_added *ret, struct err *err)
{
    AUTO(table_done) struct table differences;
    struct dataset_access access;
    struct digest name;
    table_init(&differences);
    int rc = repository_resolve(repository, base, &name, err);
    if (rc == 0)
        rc = repository_access(repository, &name, &access, err);
    if (rc == 0 && !args->access)
        in->audience = access.audience;
    if (rc == 0)
        rc = repository_update(repository, &name, in, ret, err);
    if (rc == 0)
        rc = repository_diff(repository, &name, &ret->name, &differences, err);
    if (rc >= 0)
        fprintf(stderr, "%zu paths differ from %s\n", differences.row_count, base);
    return rc < 0 ? rc : 0;
}

static int dataset_admission_run(const struct args *args, const char *path,
                                 const char *command, admission_fn admission,
                                 const char *base)
{
    AUTO(repository_free) struct repository *repository = NULL;
    struct progress_line line = { 0 };
    struct dataset_added added = { 0 };
    struct err err = { 0 };
    char name[DIGEST_TEXT_SIZE], text[256];
    struct dataset_admission in = {
        .path = path,
        .policy = { .allows_setuid = args->allow_setuid,
                    .allows_special = args->allow_special },
        .labels = args->labels.items,
        .label_count = args->labels.count,
        .tag = args->tag,
    };
    int rc =
        args->access ? dataset_audience_parse(args->access, &in.audience, &err) : 0;
    if (rc == 0)
        rc = dataset_args_open(&args->common, true, &repository, &err);
    progress_line_begin(&line, "MiB");
    if (rc == 0) {
        repository_watch(repository, dataset_args_progress, &line);
        rc = base         ? base_update(repository, args, base, &in, &added, &err)
             : args->from ? chunk_source_pull(repository, args->from, args->munge, &in,
                                              &added, &err)
                          : admission(repository, &in, &added, &err);
    }
    progress_line_end(&line);
    if (rc < 0)
        return dataset_args_failed(command, rc, &err);
    digest_print(&added.name, name);
    printf("%s\n", name);
    repository_added_text(&added, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return fflush(stdout) ? EXIT_FAILED : EXIT_OK;
}

static int dataset_create_run(void *arg, int operand_count, char **operands)
{
    if (operand_count != 1)
        return dataset_args_misused("dataset create", "which directory or file");
    return dataset_admission_run(arg, operands[0], "dataset create", repository_create,
                                 NULL);
}

static int dataset_update_run(void *arg, int operand_count, char **operands)
{
    if (operand_count != 2)
        return dataset_args_misused("dataset update",
                                    "which dataset, and which directory or file");
    return dataset_admission_run(arg, operands[1], "dataset update", NULL, operands[0]);
}

static int dataset_import_run(void *arg, int operand_count, char **operands)
{
    if (operand_count != 1)
        return dataset_args_misused("dataset import", "which image");
    return dataset_admission_run(arg, operands[0], "dataset import", repository_import,
                                 NULL);
}

static int dataset_pull_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    if (operand_count != 1 || !args->from)
        return dataset_args_misused("dataset pull", "which dataset, and --from where");
    return dataset_admission_run(arg, operands[0], "dataset pull", NULL, NULL);
}

static const struct option options[] = {
    { "from", 'f', OPTION_TEXT, offsetof(struct args, from), "DIRECTORY|ADDRESS",
      "Another repository, or a baro-datasetd: HOST:PORT or unix:PATH" },
    DATASET_MUNGE_OPTION(struct args),
    DATASET_REPOSITORY_OPTION,
    { "tag", 't', OPTION_TEXT, offsetof(struct args, tag), "TAG",
      "Set this tag on it, in the same transaction" },
    { "label", 'l', OPTION_LIST, offsetof(struct args, labels), "KEY=VALUE",
      "Free text stored with it; may be repeated" },
    { "access", 'a', OPTION_TEXT, offsetof(struct args, access), "public|group|private",
      "Who may read it through servers, beside its owner; default: public" },
    { "allow-setuid", 0, OPTION_FLAG, offsetof(struct args, allow_setuid), NULL,
      "Accept files that are set-user-ID or set-group-ID" },
    { "allow-special", 0, OPTION_FLAG, offsetof(struct args, allow_special), NULL,
      "Accept devices, FIFOs and sockets" },
};

const struct command cmd_dataset_create = {
    .name = "dataset create",
    .operands = "SOURCE",
    .help = "Make a dataset of a directory, an archive, an OCI layout or squashfs: an "
            "immutable image, named by its SHA-256.",
    .options = options + 2,
    .option_count = COUNT_OF(options) - 2,
    .args_size = sizeof(struct args),
    .run = dataset_create_run,
    .details = "SOURCE is a directory, an archive of tar, an OCI layout (LAYOUT or "
               "LAYOUT:NAME)\nor a squashfs image.\n",
};

const struct command cmd_dataset_update = {
    .name = "dataset update",
    .operands = "DATASET SOURCE",
    .help =
        "Make a new version of a dataset: as create, with its labels and views, and "
        "it as parent.",
    .options = options + 2,
    .option_count = COUNT_OF(options) - 2,
    .args_size = sizeof(struct args),
    .run = dataset_update_run,
};

const struct command cmd_dataset_import = {
    .name = "dataset import",
    .operands = "IMAGE",
    .help = "Add an EROFS image, if every part of it is valid.",
    .options = options + 2,
    .option_count = COUNT_OF(options) - 2,
    .args_size = sizeof(struct args),
    .run = dataset_import_run,
};

const struct command cmd_dataset_pull = {
    .name = "dataset pull",
    .operands = "DATASET",
    .help =
        "Copy a dataset out of another repository, or from a server: what is missing.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = dataset_pull_run,
};
