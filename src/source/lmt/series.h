/* SPDX-License-Identifier: Apache-2.0 */
/* series - a file with what servers measured, open for reading.
 *
 * By what is in it, not by its name: HDF5 in the TOKIO layout, HDF5 as pyLMT wrote it
 * (h5lmt), or a copy of an LMT database in SQLite.  All give the same grids: counts by
 * step at the step's start, gauges at their time, NaN where nobody measured.  Instead
 * of a path, "mysql:OPTIONFILE" is an LMT database in MySQL or MariaDB.
 *
 * Threads  none: libhdf5 is not made for them; one thread of a process at a time.
 */
#ifndef SOURCE_LMT_SERIES_H
#define SOURCE_LMT_SERIES_H

#include "base/zone.h"
#include "source/lmt/grid.h"
#include "source/lmt/measure.h"

struct lmt_series;

struct lmt_opts {
    /* The place of the clock that texts of an LMT database are by, as MySQL gives
     * them; NULL: UTC.  Read while the series is opened; an hour that comes twice is
     * distinguished by its order. */
    const struct zone *zone;
    int64_t clock_offset_s; /* added to every time of this file */
};

/* Errors: what open says, -EBADMSG (none of the formats, or damaged), -ENOSYS (HDF5 was
 * not built in), -EPERM (the process that reads HDF5 cannot confine itself; nothing is
 * said of the file), -ENOMEM. */
int lmt_series_open(const char *path, const struct lmt_opts *opts,
                    struct lmt_series **ret, struct err *err);
void lmt_series_close(struct lmt_series *series);
DEFINE_AUTO(struct lmt_series, lmt_series_close);

/* "TOKIO HDF5", "h5lmt", "LMT database" */
const char *lmt_series_format(const struct lmt_series *series);

/* What times the file has of a measure: [*ret_from_s, *ret_to_s).  -ENOENT: none. */
int lmt_series_times(struct lmt_series *series, enum lmt_measure measure,
                     int64_t *ret_from_s, int64_t *ret_to_s, struct err *err);

/* Between two samples of a measure; 0: the file has none. */
int64_t lmt_series_step(struct lmt_series *series, enum lmt_measure measure);

/* From here on only the targets and servers of this file system (as Lustre calls it);
 * NULL: of all.  What does not know of file systems stays as it is.
 * Errors: -ENOENT (it has nothing of that one; then nothing has changed), -ENOMEM. */
int lmt_series_choose(struct lmt_series *series, const char *fs, struct err *err);

/* Put into grid what the file has of its window; counts are counts by step, whatever
 * the file stores.  Several files of one window go into one grid.
 * Errors: -ENOENT (this file has nothing of it), -EBADMSG (shapes that do not fit),
 * -EINVAL, -EFBIG, -ENOMEM; then the grid may be filled in part. */
int lmt_series_read(struct lmt_series *series, enum lmt_measure measure,
                    struct lmt_grid *grid, struct err *err);

#endif
