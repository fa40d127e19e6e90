/* SPDX-License-Identifier: Apache-2.0 */
/* table - series out of a table of any layout, by a mapping file. */
#ifndef CLIENT_SERIES_TABLE_H
#define CLIENT_SERIES_TABLE_H

#include "client/series/opts.h"
#include "source/lmt/lmt.h"

#define SERIES_TABLE_PREFIX "map:"

/* what is "MAPPING:SOURCE": SOURCE is a file of CSV (plain or compressed) or SQLite, or
 * begins with "postgres": then it is what libpq connects to.  Rows that cannot be read
 * are logged, the first in full.  *ret is the caller's.
 * Errors: -EINVAL (what is not in that form, or the mapping), -EBADMSG (nothing of the
 * source is a series), what the source says, -ENOMEM. */
int series_table_open(const char *what, const struct series_opts *way,
                      const struct lmt_opts *opts, struct lmt_series **ret,
                      struct err *err);

#endif
