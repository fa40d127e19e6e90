/* SPDX-License-Identifier: Apache-2.0 */
/* shadow_table - a row a series of which barod and another store differ.
 *
 * component, metric, kind, points, then of the first of these points first (its time),
 * ours and theirs; of an error what instead.  Threads: the owner's.
 */
#ifndef MIGRATE_SHADOW_TABLE_H
#define MIGRATE_SHADOW_TABLE_H

#include "base/table/table.h"
#include "migrate/shadow.h"

/* Initialised, with its columns.  The caller calls table_done. */
void shadow_table_begin(struct table *table);
/* A shadow_found_fn whose argument is that table.  Errors: -ENOMEM. */
int shadow_table_add(void *arg, const struct shadow_finding *f);

#endif
