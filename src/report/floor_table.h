/* SPDX-License-Identifier: Apache-2.0 */
/* floor_table - the noise floors of classes as a table. */
#ifndef REPORT_FLOOR_TABLE_H
#define REPORT_FLOOR_TABLE_H

#include "analysis/climate/climate.h"
#include "base/table/table.h"

/* Fill an initialised, empty table: a row a class whose name matches pattern (with
 * * ? []), and without a pattern (NULL) one of all together.  Factors without a pair
 * are null.  Errors: -ENOENT (no class matches); else those of the table. */
int floor_table_make(const struct floors *floors, const char *pattern,
                     struct table *table, struct err *err);

#endif
