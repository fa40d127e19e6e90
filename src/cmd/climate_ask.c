/* SPDX-License-Identifier: Apache-2.0 */
/* climate_ask - what commands about a climate share: the mapping, and its runs. */
#include "cmd/climate_ask.h"

#include "cmd/runs_files.h"

/* That there is a run; else why there is none. */
static int runs_check(const struct mapping *mapping, const struct runs *runs,
                      struct err *err)
{
    const char *drop = NULL;
    uint64_t most = 0;
    if (runs->count > 0)
        return 0;
    if (runs->rows == 0)
        return err_set(err, ENODATA, "the tables have no rows");
    for (size_t i = 0; i < mapping->drops.count; i++)
        if (runs->dropped[i] > most) {
            most = runs->dropped[i];
            drop = mapping->drops.items[i].name;
        }
    return err_set(
        err, ENODATA,
        "none of %llu rows is a run: %llu bad, %llu without a required value, "
        "%llu outside of from .. to%s%s%s%s%s",
        (unsigned long long)runs->rows, (unsigned long long)runs->bad_rows,
        (unsigned long long)runs->missing_rows, (unsigned long long)runs->outside_rows,
        drop ? ", most dropped by [drop " : "", drop ? drop : "", drop ? "]" : "",
        runs->fault_count > 0 ? "; " : "",
        runs->fault_count > 0 ? runs->faults[0] : "");
}

int climate_ask_load(const char *map, char *const *paths, int count,
                     struct climate_ask *ret, struct err *err)
{
    AUTO(climate_ask_done) struct climate_ask ask = { 0 };
    AUTO(runs_files_done) struct runs_files files = { 0 };
    if (!map || count == 0)
        return err_set(err, EINVAL,
                       "wants --map FILE and at least one table "
                       "of runs; baro climate map RUNS.csv writes such a FILE");
    int rc = mapping_load(map, &ask.mapping, err);
    if (rc == 0)
        rc = runs_files_open((const char *const *)paths, (size_t)count, NULL, &files,
                             err);
    if (rc == 0)
        rc = runs_load(&ask.mapping, files.paths, files.count, &ask.runs, err);
    if (rc == 0)
        rc = runs_check(&ask.mapping, &ask.runs, err);
    if (rc < 0)
        return rc;
    *ret = ask;
    ask = (struct climate_ask){ 0 };
    return 0;
}

void climate_ask_done(struct climate_ask *ask)
{
    runs_done(&ask->runs);
    mapping_done(&ask->mapping);
}

int climate_ask_pool(const char *name, enum run_pool *ret, struct err *err)
{
    static const char *const names[] = { "class", "group", "all" };
    for (unsigned i = 0; name && i < COUNT_OF(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *ret = i;
            return 0;
        }
    return name
               ? err_set(err, EINVAL, "--pool: '%s' is none of class, group, all", name)
               : 0;
}

void climate_ask_note(const struct climate_ask *ask, struct table *table)
{
    runs_words(&ask->mapping, &ask->runs, table);
}

int climate_ask_end(const char *who, int rc, const struct err *err)
{
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "%s: %s\n", who, err->text);
    return err_exit_status(rc);
}

int climate_ask_pooled(const char *who, const struct climate_pool_args *args,
                       char *const *paths, int count,
                       int (*tell)(const struct climate_pool_args *args,
                                   const struct climate_ask *ask,
                                   struct run_selection *selection, struct err *err))
{
    AUTO(climate_ask_done) struct climate_ask ask = { 0 };
    struct run_selection selection = { .pattern = args->set };
    struct err err = { 0 };
    int rc = climate_ask_pool(args->pool, &selection.pool, &err);
    if (rc == 0)
        rc = climate_ask_load(args->map, paths, count, &ask, &err);
    if (rc == 0)
        rc = tell(args, &ask, &selection, &err);
    return climate_ask_end(who, rc, &err);
}
