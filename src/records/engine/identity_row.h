/* SPDX-License-Identifier: Apache-2.0 */
/* identity_row - the row of records_identity, for both engines. */
#ifndef RECORDS_ENGINE_IDENTITY_ROW_H
#define RECORDS_ENGINE_IDENTITY_ROW_H

#include "records/engine/statement.h"
#include "records/tables/tables.h"

/* One small page, however many batches there are; system, timeline and arrived_ms are
 * not known by it.  Errors: also -EAGAIN (the table is empty). */
int identity_read(const struct sql_conn *conn, struct database_identity *ret,
                  struct err *err);
/* When the newest batch arrived; T_NONE: there is none.  Reads all of them: only where
 * a loss is reported. */
int identity_read_arrived(const struct sql_conn *conn, int64_t *ret_ms,
                          struct err *err);
/* In a transaction that writes: it is the next one after want.
 * Errors: also -EAGAIN (the table is empty), -ESTALE (it is not as want says). */
int identity_advance(const struct sql_conn *conn, const struct database_identity *want,
                     const struct uuid *writer, int64_t *ret_epoch, struct err *err);

#endif
