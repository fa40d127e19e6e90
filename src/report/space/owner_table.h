/* SPDX-License-Identifier: Apache-2.0 */
/* owner_table - what users, groups or projects hold of file systems, as a table. */
#ifndef REPORT_SPACE_OWNER_TABLE_H
#define REPORT_SPACE_OWNER_TABLE_H

#include "analysis/space/space.h"
#include "base/table/table.h"

struct owner_table_opts {
    const struct space_owners *owners;
    const char *kind; /* "user": the first column's name */
    size_t limit;     /* rows; 0: all */
};

/* One row an owner and file system, in their order.  Errors: -ENOMEM, in the table. */
int owner_table_make(const struct owner_table_opts *opts, struct table *ret);

#endif
