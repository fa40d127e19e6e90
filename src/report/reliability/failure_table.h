/* SPDX-License-Identifier: Apache-2.0 */
/* failure_table - a row a class of components, and below it one for each of its worst.
 *
 * Times are hours.  Without a failure there is no MTBF: a note states in how many hours
 * none was.  A share of nothing, and a mean of no repairs, are null.
 */
#ifndef REPORT_RELIABILITY_FAILURE_TABLE_H
#define REPORT_RELIABILITY_FAILURE_TABLE_H

#include "analysis/reliability/reliability.h"
#include "base/table/table.h"

/* report is finished.  Errors: -ENOMEM, also in the table. */
int failure_table_make(const struct failure_report *report, struct table *ret);

#endif
