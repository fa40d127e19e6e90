/* SPDX-License-Identifier: Apache-2.0 */
/* conn - a connection to PostgreSQL that never waits for ever.
 *
 * libpq's own calls block as long as the server is silent; these poll its socket with a
 * deadline.  A server that hangs (stopped, its disk gone) is given up: the connection
 * is closed and -EAGAIN returned; the next use connects again.
 */
#ifndef RECORDS_POSTGRES_CONN_H
#define RECORDS_POSTGRES_CONN_H

#include "base/err.h"
#include "records/postgres/binary.h"

struct pg_conn {
    PGconn *pg;      /* NULL: not connected */
    int64_t wait_ms; /* how long the server may be silent */
    /* Shall the wait go on?  Not 0: what the server does is cancelled, the connection
     * closed.  NULL: it shall. */
    int (*watch)(void *arg);
    void *watch_arg;
};

/* Connect, or do nothing when connected.  setup runs once on each new connection; its
 * failure closes it again. */
typedef int pg_setup_fn(void *arg, struct err *err);
int pg_connect(struct pg_conn *c, const char *connection, pg_setup_fn *setup, void *arg,
               struct err *err);
void pg_close(struct pg_conn *c);

/* args may be NULL.  On success *ret (may be NULL) holds the result. */
int pg_query(struct pg_conn *c, const char *sql, const struct pg_args *args,
             PGresult **ret, struct err *err);
/* Several statements in one text, without arguments. */
int pg_exec(struct pg_conn *c, const char *sql, struct err *err);
int pg_execf(struct pg_conn *c, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A command whose end is not waited for, and a check whether it has come: *ret_done.
 * One that failed has ended too.  Meanwhile nothing else may be done with c. */
int pg_start(struct pg_conn *c, const char *sql, struct err *err);
int pg_poll(struct pg_conn *c, bool *ret_done, struct err *err);
/* Row by row, so that memory does not grow with the result; a negative return of fn
 * ends it. */
typedef int pg_row_fn(void *arg, const PGresult *row);
int pg_stream(struct pg_conn *c, const char *sql, const struct pg_args *args,
              pg_row_fn *fn, void *arg, struct err *err);
/* COPY ... FROM STDIN (FORMAT binary) of a whole text, header and trailer included. */
int pg_copy(struct pg_conn *c, const char *sql, struct span data, struct err *err);

#endif
