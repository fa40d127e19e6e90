/* SPDX-License-Identifier: Apache-2.0 */
/* identity - records_identity in PostgreSQL, and what the server says of itself: see
 * records/identity.h.
 */
#ifndef RECORDS_POSTGRES_IDENTITY_H
#define RECORDS_POSTGRES_IDENTITY_H

#include "records/postgres/conn.h"
#include "records/tables/tables.h"

/* Two small queries, however many batches there are; arrived_ms is T_NONE. */
int pg_identity_read(struct pg_conn *c, struct database_identity *ret, struct err *err);
/* When the newest batch arrived; T_NONE: there is none.  Reads all of them: only where
 * a loss is to be told. */
int pg_identity_arrived(struct pg_conn *c, int64_t *ret_ms, struct err *err);
/* Between BEGIN and COMMIT: the transaction is the next one after want.
 * Errors: also -EAGAIN (the database is read only), -ESTALE (it is not as want says: it
 * was restored under the open session). */
int pg_identity_advance(struct pg_conn *c, const struct database_identity *want,
                        const struct uuid *writer, int64_t *ret_epoch, struct err *err);
/* -EAGAIN, with the reason: a standby, or made read only. */
int pg_check_writable(struct pg_conn *c, struct err *err);

#endif
