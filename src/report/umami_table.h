/* SPDX-License-Identifier: Apache-2.0 */
/* umami_table - an UMAMI diagram as a table, for programs. */
#ifndef REPORT_UMAMI_TABLE_H
#define REPORT_UMAMI_TABLE_H

#include "analysis/climate/climate.h"
#include "base/table/table.h"

/* Append a row a measure: its value, its quarter, and the quantiles of the others; what
 * is missing is null.  Errors are those of out. */
void umami_table_print(const struct umami *u, enum table_form form, struct strbuf *out);

#endif
