/* SPDX-License-Identifier: Apache-2.0 */
/* space_table - file systems, or targets: used, growth a day, full when; as a table.
 *
 * Bytes of a file system are those of its OSTs, inodes those of its MDTs.  Dates are
 * rounded: to days, within two days to hours.
 */
#ifndef REPORT_SPACE_SPACE_TABLE_H
#define REPORT_SPACE_SPACE_TABLE_H

#include "analysis/space/space.h"
#include "base/table/table.h"

struct space_table_opts {
    const struct space_results *results;
    const struct space_check_opts *check;
    bool is_by_target; /* a row a target, without those of file systems */
    size_t limit;      /* rows; 0: all */
};

/* The fullest soonest: rows with a date by it, then the others by the share in use;
 * notes state what was not counted and what dates suppose.
 * Errors: -ENOMEM, also in the table. */
int space_table_make(const struct space_table_opts *opts, struct table *ret);

#endif
