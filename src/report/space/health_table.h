/* SPDX-License-Identifier: Apache-2.0 */
/* health_table - how full file systems are and who serves them, as tables. */
#ifndef REPORT_SPACE_HEALTH_TABLE_H
#define REPORT_SPACE_HEALTH_TABLE_H

#include "base/table/table.h"
#include "source/health/health.h"

struct health_table_opts {
    bool has_at; /* readings get their age at at_ns */
    int64_t at_ns;
};

/* Fill an initialised, empty table.  What the sample does not have is null; bytes, not
 * KiB.  Errors: -ENOMEM. */
int health_table_targets(const struct health_sample *sample,
                         const struct health_table_opts *opts, struct table *table);
/* The same a row a file system; servers that serve more or fewer targets than usual are
 * named in notes. */
int health_table_filesystems(const struct health_sample *sample,
                             const struct health_table_opts *opts, struct table *table);

#endif
