/* SPDX-License-Identifier: Apache-2.0 */
/* conn - a connection to PostgreSQL that never waits for ever. */
#include "records/postgres/conn.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "records/postgres/message.h"

#include <poll.h>

#define CONNECT_WAIT_MS 10000
#define COPY_PIECE_BYTES (200 * 1024)

void pg_close(struct pg_conn *c)
{
    PQfinish(c->pg);
    c->pg = NULL;
}

/* The connection is of no use any more. */
static int lost(struct pg_conn *c, struct err *err)
{
    int rc = pg_message_error(err, EAGAIN, PQerrorMessage(c->pg));
    pg_close(c);
    return rc;
}

static int result_error(struct pg_conn *c, const PGresult *result, struct err *err)
{
    if (PQstatus(c->pg) != CONNECTION_OK)
        return lost(c, err);
    const char *message = PQresultErrorMessage(result);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return pg_message_error(err, pg_state_errnum(state, message), message);
}

/* ---- waiting ---- */

enum { WAIT_PIECE_MS = 100, WATCH_ROWS = 1024 };

/* To the server, by a connection of its own. */
static void cancel_send(struct pg_conn *c)
{
    char text[256];
    PGcancel *request = PQgetCancel(c->pg);
    if (request)
        (void)PQcancel(request, text, sizeof text);
    PQfreeCancel(request);
}

/* The server would go on alone, for as long as its statement takes. */
static int stop(struct pg_conn *c, int rc, struct err *err)
{
    cancel_send(c);
    pg_close(c);
    return err_set(err, rc, "postgres: the reading was stopped");
}

static int watch_check(struct pg_conn *c, struct err *err)
{
    int rc = c->watch ? c->watch(c->watch_arg) : 0;
    return rc < 0 ? stop(c, rc, err) : 0;
}

static int wait_socket(struct pg_conn *c, short events, int64_t deadline_ns,
                       struct err *err)
{
    for (;;) {
        int64_t left_ms = (deadline_ns - clock_monotonic_ns()) / NS_PER_MS;
        if (left_ms <= 0) {
            pg_close(c);
            return err_set(err, EAGAIN, "postgres: the server does not respond");
        }
        struct pollfd fd = { .fd = PQsocket(c->pg), .events = events };
        int rc = watch_check(c, err);
        if (rc < 0)
            return rc;
        int n = poll(&fd, 1, (int)(left_ms > WAIT_PIECE_MS ? WAIT_PIECE_MS : left_ms));
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR) {
            int saved = errno;
            pg_close(c);
            return err_set(err, EAGAIN, "postgres: poll: %s", strerror(saved));
        }
    }
}

static int64_t deadline(const struct pg_conn *c)
{
    return clock_monotonic_ns() + c->wait_ms * NS_PER_MS;
}

/* Everything that was handed to libpq goes out; what comes in meanwhile is taken, or
 * both sides would wait for each other. */
static int flush(struct pg_conn *c, struct err *err)
{
    int64_t end_ns = deadline(c);
    for (;;) {
        int rc = PQflush(c->pg);
        if (rc < 0)
            return lost(c, err);
        if (rc == 0)
            return 0;
        rc = wait_socket(c, POLLIN | POLLOUT, end_ns, err);
        if (rc < 0)
            return rc;
        if (!PQconsumeInput(c->pg))
            return lost(c, err);
    }
}

/* The next result; *ret is NULL when there are no more. */
static int next_result(struct pg_conn *c, PGresult **ret, struct err *err)
{
    int64_t end_ns = deadline(c);
    int rc = flush(c, err);
    while (rc == 0 && PQisBusy(c->pg)) {
        rc = wait_socket(c, POLLIN, end_ns, err);
        if (rc == 0 && !PQconsumeInput(c->pg))
            return lost(c, err);
    }
    if (rc < 0)
        return rc;
    *ret = PQgetResult(c->pg);
    return 0;
}

/* All that is left of a command; the first error is kept. */
static int drain(struct pg_conn *c, int rc, struct err *err)
{
    for (;;) {
        AUTO_RESULT PGresult *result = NULL;
        int next = c->pg ? next_result(c, &result, rc < 0 ? NULL : err) : rc;
        if (next < 0)
            return rc < 0 ? rc : next;
        if (!result)
            return rc;
        ExecStatusType status = PQresultStatus(result);
        if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT) {
            pg_close(c); /* not expected here; there is no other way out of it */
            return rc < 0 ? rc : err_set(err, EIO, "postgres: an unexpected COPY");
        }
        if (rc == 0 && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            rc = result_error(c, result, err);
    }
}

/* ---- connecting ---- */

static int connect_poll(struct pg_conn *c, struct err *err)
{
    int64_t wait_ms = c->wait_ms < CONNECT_WAIT_MS ? c->wait_ms : CONNECT_WAIT_MS;
    int64_t end_ns = clock_monotonic_ns() + wait_ms * NS_PER_MS;
    PostgresPollingStatusType status = PGRES_POLLING_WRITING;
    while (status != PGRES_POLLING_OK) {
        if (status == PGRES_POLLING_FAILED || PQstatus(c->pg) == CONNECTION_BAD)
            return lost(c, err);
        int rc = wait_socket(c, status == PGRES_POLLING_READING ? POLLIN : POLLOUT,
                             end_ns, err);
        if (rc < 0)
            return rc;
        status = PQconnectPoll(c->pg);
    }
    return 0;
}

static void notice_ignore(void *arg, const char *message)
{
    (void)arg, (void)message;
}

/* libpq quotes what it does not understand, which may be half of a password. */
static int check_string(const char *connection, struct err *err)
{
    PQconninfoOption *options = PQconninfoParse(connection, NULL);
    if (!options)
        return err_set(
            err, EINVAL,
            "postgres: libpq does not accept the connection string; write "
            "\"host=db01 dbname=baro\" or \"postgresql://db01/baro\", values "
            "with blanks in single quotes");
    PQconninfoFree(options);
    return 0;
}

int pg_connect(struct pg_conn *c, const char *connection, pg_setup_fn *setup, void *arg,
               struct err *err)
{
    if (c->pg && PQstatus(c->pg) == CONNECTION_OK)
        return 0;
    pg_close(c);
    bool is_string =
        connection && (strchr(connection, '=') || strstr(connection, "://"));
    int rc = is_string ? check_string(connection, err) : 0;
    if (rc < 0)
        return rc;
    /* Later ones win: what the connection string says about keepalives stands. */
    const char *const keys[] = { "fallback_application_name", "keepalives_idle",
                                 "tcp_user_timeout",          "dbname",
                                 "client_encoding",           NULL };
    const char *const values[] = { "barograph", "30",
                                   "30000",     connection ? connection : "",
                                   "UTF8",      NULL };
    c->pg = PQconnectStartParams(keys, values, 1);
    if (!c->pg)
        return -ENOMEM;
    rc = connect_poll(c, err);
    if (rc < 0)
        return rc;
    if (PQsetnonblocking(c->pg, 1) != 0)
        return lost(c, err);
    /* Notices ("relation exists, skipping") are no errors, and libraries do not log. */
    (void)PQsetNoticeProcessor(c->pg, notice_ignore, NULL);
    rc = setup ? setup(arg, err) : 0;
    if (rc < 0)
        pg_close(c);
    return rc;
}

/* ---- commands ---- */

static int send(struct pg_conn *c, const char *sql, const struct pg_args *args,
                struct err *err)
{
    if (!c->pg)
        return err_set(err, EAGAIN, "postgres: not connected");
    int sent = args ? PQsendQueryParams(c->pg, sql, args->count, args->types,
                                        args->values, args->sizes, args->formats, 1)
                    : PQsendQueryParams(c->pg, sql, 0, NULL, NULL, NULL, NULL, 1);
    return sent ? 0 : lost(c, err);
}

int pg_query(struct pg_conn *c, const char *sql, const struct pg_args *args,
             PGresult **ret, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    int rc = send(c, sql, args, err);
    if (rc == 0)
        rc = next_result(c, &result, err);
    if (rc < 0)
        return rc;
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        rc = result_error(c, result, err);
    rc = drain(c, rc, err);
    if (rc == 0 && ret)
        *ret = TAKE(result);
    return rc;
}

int pg_exec(struct pg_conn *c, const char *sql, struct err *err)
{
    if (!c->pg)
        return err_set(err, EAGAIN, "postgres: not connected");
    if (!PQsendQuery(c->pg, sql))
        return lost(c, err);
    return drain(c, 0, err);
}

int pg_execf(struct pg_conn *c, struct err *err, const char *fmt, ...)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(&sql, fmt, ap);
    va_end(ap);
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    return pg_exec(c, strbuf_text(&sql), err);
}

int pg_start(struct pg_conn *c, const char *sql, struct err *err)
{
    if (!c->pg)
        return err_set(err, EAGAIN, "postgres: not connected");
    return PQsendQuery(c->pg, sql) ? 0 : lost(c, err);
}

int pg_poll(struct pg_conn *c, bool *ret_done, struct err *err)
{
    *ret_done = true;
    if (!c->pg)
        return err_set(err, EAGAIN, "postgres: not connected");
    if (PQflush(c->pg) < 0 || !PQconsumeInput(c->pg))
        return lost(c, err);
    while (!PQisBusy(c->pg)) {
        AUTO_RESULT PGresult *result = PQgetResult(c->pg);
        if (!result)
            return 0;
        ExecStatusType status = PQresultStatus(result);
        if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
            continue;
        int rc = result_error(c, result, err);
        pg_close(c);
        return rc;
    }
    *ret_done = false;
    return 0;
}

/* What is still to come is of no interest: a cancelled server stops sending soon. */
static int cancel(struct pg_conn *c, int rc)
{
    cancel_send(c);
    return drain(c, rc, NULL);
}

int pg_stream(struct pg_conn *c, const char *sql, const struct pg_args *args,
              pg_row_fn *fn, void *arg, struct err *err)
{
    int rc = send(c, sql, args, err);
    if (rc < 0)
        return rc;
    size_t rows = 0;
    if (!PQsetSingleRowMode(c->pg))
        return lost(c, err);
    for (;;) {
        AUTO_RESULT PGresult *result = NULL;
        rc = next_result(c, &result, err);
        if (rc < 0 || !result)
            return rc;
        ExecStatusType status = PQresultStatus(result);
        if (status == PGRES_SINGLE_TUPLE) {
            /* A stream that never runs dry is never waited for. */
            if (++rows % WATCH_ROWS == 0 && (rc = watch_check(c, err)) < 0)
                return rc;
            rc = fn(arg, result);
            if (rc < 0)
                return cancel(c, rc);
        } else if (status != PGRES_TUPLES_OK) {
            return drain(c, result_error(c, result, err), err);
        }
    }
}

static int copy_send(struct pg_conn *c, struct span data, struct err *err)
{
    int64_t end_ns = deadline(c);
    while (data.size) {
        int size = (int)(data.size < COPY_PIECE_BYTES ? data.size : COPY_PIECE_BYTES);
        int sent = PQputCopyData(c->pg, data.data, size);
        if (sent < 0)
            return lost(c, err);
        if (sent > 0) {
            data = span_skip(data, (size_t)size);
            continue;
        }
        int rc = wait_socket(c, POLLIN | POLLOUT, end_ns, err);
        if (rc < 0)
            return rc;
        if (!PQconsumeInput(c->pg))
            return lost(c, err);
    }
    return 0;
}

static int copy_end(struct pg_conn *c, struct err *err)
{
    int64_t end_ns = deadline(c);
    int sent;
    while ((sent = PQputCopyEnd(c->pg, NULL)) == 0) {
        int rc = wait_socket(c, POLLOUT, end_ns, err);
        if (rc < 0)
            return rc;
    }
    return sent < 0 ? lost(c, err) : 0;
}

int pg_copy(struct pg_conn *c, const char *sql, struct span data, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    int rc = send(c, sql, NULL, err);
    if (rc == 0)
        rc = next_result(c, &result, err);
    if (rc < 0)
        return rc;
    if (PQresultStatus(result) != PGRES_COPY_IN)
        return drain(c, result_error(c, result, err), err);
    rc = copy_send(c, data, err);
    if (rc == 0)
        rc = copy_end(c, err);
    return rc == 0 ? drain(c, 0, err) : rc;
}
