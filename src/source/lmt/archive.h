/* SPDX-License-Identifier: Apache-2.0 */
/* archive - a day of server measures kept as HDF5 in the TOKIO layout. */
#ifndef SOURCE_LMT_ARCHIVE_H
#define SOURCE_LMT_ARCHIVE_H

#include "source/lmt/series.h"

struct lmt_archive_opts {
    int64_t from_s, to_s;
    int64_t now_s; /* is put down as when this was done */
    /* How far it is, in steps of all measures together; may be NULL.  The last call
     * has done == count. */
    void (*progress)(void *arg, size_t done, size_t count);
    void *arg;
};

/* Read [from_s, to_s) of all measures that the series has, and write them to path
 * (which is replaced when all is there).
 * Errors: as lmt_series_read(), what open says, -ENODATA (the series has nothing of
 * that time), -EIO, -ENOSYS (HDF5 was not built in). */
int lmt_archive(struct lmt_series *series, const struct lmt_archive_opts *opts,
                const char *path, struct err *err);

#endif
