/* SPDX-License-Identifier: Apache-2.0 */
/* climate_runs - a mapping, and the runs that it makes of tables. */
#include "client/climate/climate_runs.h"

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
        rc = runs_require(&loaded.mapping, &loaded.runs, err);
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
