/* SPDX-License-Identifier: Apache-2.0 */
/* box_tables - the tables of a box's mappings, read one after the other.
 *
 *     for each table: fn fills rows ─▶ report
 *
 * What one table does not have is noted, and the others are read; where no table has
 * any row it is another box than its mapping is of, and the reading fails.
 *
 * Threads  any.
 */
#ifndef BMC_BOX_BOX_TABLES_H
#define BMC_BOX_BOX_TABLES_H

#include "bmc/box/box_rows.h"
#include "bmc/target.h"

/* rows are empty before it.  -ETIMEDOUT, -E2BIG, -EACCES, -ENOTCONN, -EHOSTUNREACH and
 * -ENOMEM end the reading. */
typedef int box_table_fn(void *arg, const struct mapping_table *table,
                         struct box_rows *rows, struct err *err);

/* Errors: fn's first one, where nothing could be read. */
int box_tables_read(const struct bmc_section *section, box_table_fn *fn, void *arg,
                    struct bmc_report *report, struct err *err);

#endif
