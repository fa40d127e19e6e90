/* SPDX-License-Identifier: Apache-2.0 */
/* directory_target - imported samples straight into a store's directory. */
#ifndef MIGRATE_DIRECTORY_TARGET_H
#define MIGRATE_DIRECTORY_TARGET_H

#include "migrate/import_target.h"
#include "migrate/notice.h"

/* Open the store in dir, which no other process may have open; it is made where there
 * is none.  No sample is too old for it.  warn may be NULL, and outlives the target.
 * Errors: what opening returns (-EBUSY: another process has it). */
int directory_target_open(const char *dir, migrate_warn_fn *warn, void *warn_arg,
                          struct import_target *ret, struct err *err);

#endif
