/* SPDX-License-Identifier: Apache-2.0 */
/* climate_runs - a mapping, and the runs that it makes of tables: files, or a barod. */
#ifndef CLIENT_CLIMATE_CLIMATE_RUNS_H
#define CLIENT_CLIMATE_CLIMATE_RUNS_H

#include "analysis/climate/climate.h"
#include "analysis/table/table.h"
#include "client/climate/runs_files.h"

struct climate_runs {
    struct mapping mapping;
    struct runs runs;
    const char *truncated; /* as that of runs_files */
};

/* map: the file of the mapping; names: of the tables, which outlive *ret; progress:
 * of the tables read, or NULL.
 * Errors: -EINVAL (no mapping, no table), -ENODATA (no row is a run: why), as
 * mapping_load(), runs_files_open() and runs_load(); then *ret is untouched. */
int climate_runs_load(const char *map, const char *const *names, size_t count,
                      const struct runs_progress *progress, struct climate_runs *ret,
                      struct err *err);
void climate_runs_done(struct climate_runs *runs);
DEFINE_AUTO_DONE(struct climate_runs, climate_runs_done);

#endif
