/* SPDX-License-Identifier: Apache-2.0 */
/* transaction - the writer's transactions, and what a failure says of the database.
 *
 *     begin ─▶ is it the database that was left? ─▶ ... ─▶ commit, or rollback
 *
 * Threads  the writer's; check_connected() any.
 */
#ifndef RECORDS_TRANSACTION_H
#define RECORDS_TRANSACTION_H

#include "records/records_private.h"

/* -EAGAIN with a reason, until records_connect() has succeeded. */
int check_connected(const struct records *records, struct err *err);
/* The same, and -EACCES for a database that was opened to be read only. */
int check_writable(const struct records *records, struct err *err);

/* Begin a transaction.  Where it is another database than before, everything that is
 * remembered of it is forgotten first.  Errors: as records_put; then none is open. */
int transaction_begin(struct records *records, struct err *err);
/* Commit; on failure it is rolled back.  Errors: as records_put. */
int transaction_commit(struct records *records, struct err *err);
/* After any failure since begin: roll back and forget names, which the transaction may
 * have been the one to store. */
void transaction_rollback(struct records *records);
/* A call of the writer has failed with rc: note it as the health of the database, if it
 * is the database that failed.  err may be NULL. */
void transaction_failed(struct records *records, int rc, const struct err *err);

#endif
