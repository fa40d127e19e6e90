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

/* What a writer finds where it left want.  Within a transaction or before one. */
struct identity_found {
    int64_t version;               /* of the schema */
    struct database_identity have; /* read where version is this program's */
    const struct uuid *pending;    /* see identity_compare() */
};
/* Is it the database that was left?  Where not, why has the difference in place of what
 * it had.  Errors: -ENOMEM, as in engine.h. */
int identity_recognise(const struct sql_conn *conn,
                       const struct database_identity *want,
                       struct identity_found *found, bool *ret_is_same,
                       struct strbuf *why, struct err *err);
/* Nothing is made in an empty database that was not empty when it was left: it may be
 * about to be filled, or the address may be wrong.  Returns -EAGAIN. */
int identity_refuse_empty(const char *where, const struct database_identity *want,
                          struct err *err);

#endif
