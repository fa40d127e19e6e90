/* SPDX-License-Identifier: Apache-2.0 */
/* series_table - series out of anybody's table, by a mapping file. */
#ifndef CMD_SERIES_TABLE_H
#define CMD_SERIES_TABLE_H

#include "source/lmt/lmt.h"

#define SERIES_TABLE_PREFIX "map:"

/* what is "MAPPING:SOURCE": SOURCE is a file of CSV (plain or gzip) or SQLite, or
 * begins with "postgres": then it is what libpq connects to.  Rows that cannot be read
 * are named on standard error, the first in full.  Errors: as lmt_series_open(). */
int series_table_open(const char *what, const struct lmt_opts *opts,
                      struct lmt_series **ret, struct err *err);

#endif
