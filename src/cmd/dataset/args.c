/* SPDX-License-Identifier: Apache-2.0 */
/* args - what the commands of datasets share: the repository, the form of a result. */
#include "cmd/dataset/args.h"

#include <string.h>

int dataset_args_open(const struct dataset_args *args, bool creates,
                      struct repository **ret, struct err *err)
{
    const char *dir = args->repository ? args->repository : getenv("BARO_DATASETS");
    if (!dir || !*dir)
        return err_set(err, EINVAL,
                       "which repository? name its directory (--repository), or set "
                       "BARO_DATASETS");
    return repository_open(dir, creates, ret, err);
}

int dataset_args_find(const struct dataset_args *args, const char *spec,
                      struct repository **ret, struct digest *ret_name, struct err *err)
{
    AUTO(repository_free) struct repository *repository = NULL;
    int rc = dataset_args_open(args, false, &repository, err);
    if (rc == 0)
        rc = repository_resolve(repository, spec, ret_name, err);
    if (rc == 0)
        *ret = TAKE(repository);
    return rc;
}

int dataset_args_print(const struct dataset_args *args, const struct table *table,
                       struct err *err)
{
    struct result_form form;
    int rc = output_form(&form, args->output, args->raw, err);
    return rc < 0 ? rc : output_table(table, &form, err);
}

int dataset_args_failed(const char *command, int rc, const struct err *err)
{
    fprintf(stderr, "baro %s: %s\n", command, err->text[0] ? err->text : strerror(-rc));
    return err_exit_status(rc);
}

int dataset_args_misused(const char *command, const char *what)
{
    fprintf(stderr, "baro %s: %s; see --help\n", command, what);
    return EXIT_USAGE;
}

void dataset_args_progress(void *line, size_t done, size_t count)
{
    progress_line_print(line, done >> 20, count >> 20);
}

void dataset_args_count(void *line, size_t done, size_t count)
{
    progress_line_print(line, done, count);
}
