/* SPDX-License-Identifier: Apache-2.0 */
/* resource_ledger - statements about resources as rows of two ledgers.
 *
 *     resource_statements   (component, source): what holds now; never too old
 *     resource_changes      (component, source, time): what was stated before it, too
 *
 * A statement that is not later than the stored one, or the same again, changes
 * nothing.
 */
#ifndef RECORDS_TABLES_RESOURCE_LEDGER_H
#define RECORDS_TABLES_RESOURCE_LEDGER_H

#include "records/tables/ledger.h"

extern const struct ledger ledger_resource_statements;
extern const struct ledger ledger_resource_changes;

/* The row of statement, the same in both, as it is submitted at now_ms, in arena; its
 * texts are the statement's.  NULL: no memory. */
const struct scalar *resource_ledger_row(const struct resource_statement *statement,
                                         int64_t now_ms, struct arena *arena);
/* The statement of a row; its texts are the row's.  Errors: -EINVAL (another program
 * stored a health that is not known here). */
int resource_ledger_statement(const struct scalar *row, struct resource_statement *ret);

#endif
