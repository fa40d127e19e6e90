/* SPDX-License-Identifier: Apache-2.0 */
/* id_name_ledger - names of users and groups as rows of a ledger: the table id_names.
 *
 * A name is known by (kind, number, name, cluster).  Seen again, the row reaches from
 * the first time to the last one, in whatever order they are submitted.
 */
#ifndef RECORDS_TABLES_ID_NAME_LEDGER_H
#define RECORDS_TABLES_ID_NAME_LEDGER_H

#include "records/tables/ledger.h"

extern const struct ledger ledger_id_names;

/* The row of name as it is submitted at now_ms, in arena; its texts are name's.  NULL:
 * no memory. */
const struct scalar *id_name_ledger_row(const struct id_name *name, int64_t now_ms,
                                        struct arena *arena);
/* The name of a row; its texts are the row's.  Errors: -EBADMSG (its kind is none). */
int id_name_ledger_name(const struct scalar *row, struct id_name *ret);

#endif
