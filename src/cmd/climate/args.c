/* SPDX-License-Identifier: Apache-2.0 */
/* climate_args - what commands about a climate share: options, and how they run. */
#include "cmd/climate/args.h"

#include "cmd/output.h"
#include "cmd/warning.h"

static void tables_read_print(void *arg, size_t done, size_t count)
{
    progress_line_print(arg, done, count);
}

struct runs_progress climate_args_progress(struct progress_line *line)
{
    *line = (struct progress_line){ 0 };
    progress_line_begin(line, "tables");
    return (struct runs_progress){ tables_read_print, line };
}

int climate_args_load(const char *map, char *const *paths, int count,
                      struct climate_runs *ret, struct err *err)
{
    struct progress_line line;
    const struct runs_progress progress = climate_args_progress(&line);
    int rc = climate_runs_load(map, (const char *const *)paths, (size_t)count,
                               &progress, ret, err);
    progress_line_end(&line);
    if (rc == 0 && ret->truncated)
        climate_args_truncated(ret->truncated);
    return rc;
}

void climate_args_truncated(const char *name)
{
    char text[RUNS_FILES_TRUNCATED_BYTES];
    runs_files_truncated_text(name, text, sizeof text);
    warning_print(NULL, text);
}

int climate_args_pool(const char *name, enum run_pool *ret, struct err *err)
{
    static const char *const names[] = { "class", "group", "all" };
    for (unsigned i = 0; name && i < COUNT_OF(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *ret = i;
            return 0;
        }
    return name ? err_set(err, EINVAL,
                          "--pool: '%s' is not valid (choose class, group, all)", name)
                : 0;
}

int climate_args_end(const char *who, int rc, const struct err *err)
{
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "%s: %s\n", who, err->text);
    return err_exit_status(rc);
}

int climate_args_pooled(const char *who, const struct climate_pool_args *args,
                        char *const *paths, int count,
                        int (*print)(const struct climate_pool_args *args,
                                     const struct climate_runs *climate,
                                     struct run_selection *selection, struct err *err))
{
    AUTO(climate_runs_done) struct climate_runs climate = { 0 };
    struct run_selection selection = { .pattern = args->set };
    struct err err = { 0 };
    int rc = climate_args_pool(args->pool, &selection.pool, &err);
    if (rc == 0)
        rc = climate_args_load(args->map, paths, count, &climate, &err);
    if (rc == 0)
        rc = print(args, &climate, &selection, &err);
    return climate_args_end(who, rc, &err);
}
