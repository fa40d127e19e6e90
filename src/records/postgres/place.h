/* SPDX-License-Identifier: Apache-2.0 */
/* place - in which schema of a PostgreSQL database our tables are, and whose others
 * are.
 *
 * Names such as `series` and `batches` are common: a table is ours only where its
 * columns are, and it is in the schema that comes first in the search path.
 */
#ifndef RECORDS_POSTGRES_PLACE_H
#define RECORDS_POSTGRES_PLACE_H

#include "records/postgres/conn.h"

struct pg_place {
    char schema[64];  /* the first of the search path; empty: there is none */
    bool is_ours;     /* our tables are in it */
    char others[160]; /* tables of our names in it that are not ours */
};

/* What holds for every session of ours, whatever the role or the database says: limits
 * of time, in ms, and the schema; schema NULL: as the search path has it. */
struct pg_session {
    const char *schema;
    int64_t statement_ms, lock_ms;
    bool is_read_only;
};
int pg_session_begin(struct pg_conn *c, const struct pg_session *session,
                     struct err *err);

int pg_place_look(struct pg_conn *c, struct pg_place *ret, struct err *err);
/* -EINVAL, with the remedy. */
int pg_place_refuse(const struct pg_place *place, struct err *err);
/* One writer a schema: a lock of the session, which ends with it. */
struct pg_writer {
    char session[96]; /* ours, as the server knows it; empty: none was locked yet */
};
/* A session of our own that the server has not yet noticed to be gone is ended.
 * Errors: -EAGAIN (another program has it: err names it). */
int pg_writer_lock(struct pg_conn *c, struct pg_writer *writer, struct err *err);

/* For who reads and names no schema: where the first one has no tables of ours and one
 * other has, go there. */
int pg_place_find(struct pg_conn *c, struct err *err);

#endif
