/* SPDX-License-Identifier: Apache-2.0 */
/* archive - a day of server measures kept as HDF5 in the TOKIO layout. */
#ifndef SOURCE_LMT_ARCHIVE_H
#define SOURCE_LMT_ARCHIVE_H

#include "source/lmt/series.h"

/* Read [from_s, to_s) of all measures that the series has, and write them to path
 * (which is replaced when all is there).  now_s is put down as when this was done.
 * Errors: as lmt_series_read(), what open says, -ENODATA (the series has nothing of
 * that time), -EIO, -ENOSYS (HDF5 was not built in). */
int lmt_archive(struct lmt_series *series, int64_t from_s, int64_t to_s, int64_t now_s,
                const char *path, struct err *err);

#endif
