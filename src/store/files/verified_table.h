/* SPDX-License-Identifier: Apache-2.0 */
/* verified_table - a row a fault of a store's directory: file, byte, kind, what,
 * remedy.
 */
#ifndef STORE_FILES_VERIFIED_TABLE_H
#define STORE_FILES_VERIFIED_TABLE_H

#include "base/table/table.h"
#include "store/files/verify.h"

/* table: initialised and empty.  What went wrong is in table_error. */
void verified_table_fill(const struct store_verified *verified, struct table *table);

#endif
