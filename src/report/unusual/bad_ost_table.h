/* SPDX-License-Identifier: Apache-2.0 */
/* bad_ost_table - targets whose files were slower, as a table of several logs. */
#ifndef REPORT_UNUSUAL_BAD_OST_TABLE_H
#define REPORT_UNUSUAL_BAD_OST_TABLE_H

#include "analysis/weather/weather.h"
#include "base/table/table.h"

/* Initialise *ret, with its columns; the caller's, to table_done(). */
void bad_ost_table_init(struct table *ret);
/* Append the targets of one log, in their order; r and p of a target that all files lie
 * on are null, a note counts the files left out.  A failure stays in
 * table_error(). */
void bad_ost_table_add(struct table *table, const char *log,
                       const struct bad_ost *found);

#endif
