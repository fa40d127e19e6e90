/* SPDX-License-Identifier: Apache-2.0 */
/* identity - records_identity in PostgreSQL, and what the server reports of itself: see
 * records/identity.h.
 */
#ifndef RECORDS_POSTGRES_IDENTITY_H
#define RECORDS_POSTGRES_IDENTITY_H

#include "records/postgres/conn.h"
#include "records/tables/tables.h"

/* Two small queries, however many batches there are; arrived_ms is T_NONE. */
int pg_identity_read(struct pg_conn *c, struct database_identity *ret, struct err *err);
/* -EAGAIN, with the reason: a standby, or made read only. */
int pg_check_writable(struct pg_conn *c, struct err *err);

#endif
