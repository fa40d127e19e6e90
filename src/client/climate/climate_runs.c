/* SPDX-License-Identifier: Apache-2.0 */
/* climate_runs - a mapping, and the runs that it makes of tables. */
#include "client/climate/climate_runs.h"

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

int climate_runs_load(const char *map, const char *const *names, size_t count,
                      const struct runs_progress *progress, struct climate_runs *ret,
                      struct err *err)
{
    AUTO(climate_runs_done) struct climate_runs loaded = { 0 };
    AUTO(runs_files_done) struct runs_files files = { 0 };
    if (!map || count == 0)
        return err_set(err, EINVAL,
                       "wants --map FILE and at least one table "
                       "of runs; baro climate map RUNS.csv writes such a FILE");
    int rc = mapping_load(map, &loaded.mapping, err);
    if (rc == 0)
        rc = runs_files_open(names, count, NULL, &files, err);
    if (rc == 0)
        rc = runs_load_wanted(&loaded.mapping, files.paths, files.count, NULL, progress,
                              &loaded.runs, err);
    if (rc == 0)
        rc = runs_check(&loaded.mapping, &loaded.runs, err);
    if (rc < 0)
        return rc;
    loaded.truncated = files.truncated;
    *ret = loaded;
    loaded = (struct climate_runs){ 0 };
    return 0;
}

void climate_runs_done(struct climate_runs *runs)
{
    runs_done(&runs->runs);
    mapping_done(&runs->mapping);
}
