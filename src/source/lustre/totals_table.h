/* SPDX-License-Identifier: Apache-2.0 */
/* totals_table - the totals of a Lustre server as a table: a row each.
 *
 * What cannot be read, of a file or a line of it, is given to fault: see totals.h.
 */
#ifndef SOURCE_LUSTRE_TOTALS_TABLE_H
#define SOURCE_LUSTRE_TOTALS_TABLE_H

#include "base/table/table.h"
#include "source/lustre/totals.h"

typedef void lustre_totals_fault_fn(void *arg, const char *path, uint64_t line,
                                    struct span text);

/* With its columns.  The caller calls table_done(). */
void lustre_totals_table_init(struct table *table);
/* Of the server whose proc and sys are below root.  Errors: -ENODATA (none is there),
 * those of lustre_read_totals(). */
int lustre_totals_table_root(const char *root, lustre_totals_fault_fn *fault,
                             struct table *table, struct err *err);
/* Out of a file of what lctl get_param printed.  Errors: -ENODATA (it has no total: a
 * wrong file was named), those of input_read_all(). */
int lustre_totals_table_dump(const char *path, lustre_totals_fault_fn *fault,
                             struct table *table, struct err *err);

#endif
