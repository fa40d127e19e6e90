/* SPDX-License-Identifier: Apache-2.0 */
/* open - a series by its name, whatever it is.
 *
 *     barod, unix:..., http...   a running barod        server
 *     map:MAPPING:SOURCE         a table of a site      table
 *     a directory, tar, text     what monitors print    text
 *     any other path             HDF5, SQLite, "mysql:" source/lmt
 */
#ifndef CLIENT_SERIES_OPEN_H
#define CLIENT_SERIES_OPEN_H

#include "client/series/opts.h"
#include "source/lmt/lmt.h"

/* way: may be NULL.  *ret is the caller's, to lmt_series_close().
 * Errors: those of the kind that it is: as lmt_series_open(). */
int series_open(const char *path, const struct series_opts *way,
                const struct lmt_opts *opts, struct lmt_series **ret, struct err *err);

#endif
