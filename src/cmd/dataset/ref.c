/* SPDX-License-Identifier: Apache-2.0 */
/* ref - baro dataset ref, unref: references, which retain a dataset. */
#include "cmd/dataset/args.h"

#include <inttypes.h>

struct args {
    struct dataset_args common;
    const char *kind, *detail, *job;
    int64_t lasts_ns;
    bool renew;
};

static int ref_make(const struct args *args, const char *spec, struct err *err)
{
    AUTO(repository_free) struct repository *repository = NULL;
    const char *kind = args->job ? "job" : args->kind ? args->kind : "hold";
    const char *detail = args->job ? args->job : args->detail ? args->detail : "";
    const struct dataset_ref ref = { kind, detail, args->lasts_ns };
    struct digest name;
    uint64_t id = 0;
    int rc = dataset_args_find(&args->common, spec, &repository, &name, err);
    if (rc == 0)
        rc = repository_ref(repository, &name, &ref, &id, err);
    if (rc == 0)
        printf("%" PRIu64 "\n", id);
    return rc;
}

static int ref_renew(const struct args *args, const char *number, struct err *err)
{
    AUTO(repository_free) struct repository *repository = NULL;
    uint64_t id = 0;
    if (args->lasts_ns <= 0)
        return err_set(err, EINVAL, "--renew needs --lasts");
    int rc = repository_ref_parse(number, &id, err);
    if (rc == 0)
        rc = dataset_args_open(&args->common, false, &repository, err);
    return rc < 0 ? rc : repository_ref_renew(repository, id, args->lasts_ns, err);
}

static int dataset_ref_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    struct err err = { 0 };
    if (operand_count != 1)
        return dataset_args_misused("dataset ref", "which dataset");
    int rc = (args->renew ? ref_renew : ref_make)(args, operands[0], &err);
    return rc < 0 ? dataset_args_failed("dataset ref", rc, &err) : EXIT_OK;
}

static int dataset_unref_run(void *arg, int operand_count, char **operands)
{
    AUTO(repository_free) struct repository *repository = NULL;
    struct err err = { 0 };
    uint64_t id = 0;
    if (operand_count != 1)
        return dataset_args_misused("dataset unref", "which reference");
    int rc = repository_ref_parse(operands[0], &id, &err);
    if (rc == 0)
        rc = dataset_args_open(arg, false, &repository, &err);
    if (rc == 0)
        rc = repository_unref(repository, id, &err);
    return rc < 0 ? dataset_args_failed("dataset unref", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    DATASET_REPOSITORY_OPTION,
    { "kind", 'k', OPTION_TEXT, offsetof(struct args, kind), "job|mount|hold",
      "What refers to it; default: hold" },
    { "detail", 'd', OPTION_TEXT, offsetof(struct args, detail), "TEXT",
      "Which one: the id of the job, the node, a reason" },
    { "job", 'j', OPTION_TEXT, offsetof(struct args, job), "ID",
      "The same as --kind job --detail ID" },
    { "lasts", 0, OPTION_DURATION, offsetof(struct args, lasts_ns), "DURATION",
      "It ends after this time, if it is not renewed; default: never" },
    { "renew", 0, OPTION_FLAG, offsetof(struct args, renew), NULL,
      "The operand is a reference, which lasts from now on as long as --lasts has" },
};
static const struct option unref_options[] = { DATASET_REPOSITORY_OPTION };

const struct command cmd_dataset_ref = {
    .name = "dataset ref",
    .operands = "DATASET|REFERENCE",
    .help = "Refer to a dataset, so that it is not removed; prints the reference.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = dataset_ref_run,
};

const struct command cmd_dataset_unref = {
    .name = "dataset unref",
    .operands = "REFERENCE",
    .help = "Remove a reference of a dataset.",
    .options = unref_options,
    .option_count = COUNT_OF(unref_options),
    .args_size = sizeof(struct dataset_args),
    .run = dataset_unref_run,
};
