/* SPDX-License-Identifier: Apache-2.0 */
/* table_mysql - the rows that a MySQL or MariaDB returns, one by one. */
#include "source/table/table_query.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/secret.h"

#include <mysql.h>

#define DEFAULTS_BYTES_MAX ((size_t)1 << 20)
#define CONNECT_TIMEOUT_S 10 /* where the option file has none of its own */
#define ROW_BYTES_MAX (64UL << 20)

DEFINE_AUTO(MYSQL, mysql_close);

static int mysql_refused(MYSQL *conn, int errnum, struct err *err)
{
    return err_set(err, errnum, "MySQL: %s", mysql_error(conn));
}

/* A file with a password must be readable by its owner only; the library would read
 * any, and one that is not there without a word. */
static int defaults_check(const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = file_read(path, DEFAULTS_BYTES_MAX, &text, err);
    if (rc < 0)
        return rc;
    struct span rest = strbuf_span(&text), line;
    bool is_more = true;
    while (is_more) {
        is_more = span_cut(&rest, '\n', &line);
        if (span_starts(span_trim(line), "password"))
            return secret_check(path, err);
    }
    return 0;
}

static int mysql_options_set(MYSQL *conn, const char *defaults, int64_t timeout_ns,
                             struct err *err)
{
    const unsigned connect_s = CONNECT_TIMEOUT_S;
    const unsigned read_s = (unsigned)(timeout_ns / NS_PER_S);
    const unsigned no_infile = 0; /* else a server may request files of this host */
    const unsigned long row_bytes = ROW_BYTES_MAX;
    if (mysql_options(conn, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s) != 0 ||
        mysql_options(conn, MYSQL_OPT_READ_TIMEOUT, &read_s) != 0 ||
        mysql_options(conn, MYSQL_OPT_LOCAL_INFILE, &no_infile) != 0 ||
        mysql_options(conn, MYSQL_OPT_MAX_ALLOWED_PACKET, &row_bytes) != 0 ||
        mysql_options(conn, MYSQL_SET_CHARSET_NAME, "utf8mb4") != 0 ||
        mysql_options(conn, MYSQL_READ_DEFAULT_FILE, defaults) != 0 ||
        mysql_options(conn, MYSQL_READ_DEFAULT_GROUP, "client") != 0)
        return mysql_refused(conn, ENOMEM, err);
    return 0;
}

/* TIMESTAMP columns are texts in the session's zone: that is UTC. */
static int mysql_session_begin(MYSQL *conn, struct err *err)
{
    if (mysql_query(conn, "SET time_zone = '+00:00'") != 0 ||
        mysql_query(conn, "START TRANSACTION READ ONLY") != 0)
        return mysql_refused(conn, EBADMSG, err);
    return 0;
}

static int mysql_rows_read(MYSQL *conn, MYSQL_RES *result,
                           const struct table_query_events *events, struct err *err)
{
    const size_t count = mysql_num_fields(result);
    const MYSQL_FIELD *fields = mysql_fetch_fields(result);
    if (count > TABLE_COLUMNS_MAX_QUERY)
        return err_set(err, EFBIG, "over %d columns", TABLE_COLUMNS_MAX_QUERY);
    AUTO_FREE struct span *cells = calloc(count + 1, sizeof *cells);
    if (!cells)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        cells[i] = (struct span){ fields[i].name, fields[i].name_length };
    int rc = events->on_names(events->arg, cells, count, err);
    MYSQL_ROW row;
    for (uint64_t number = 1; rc == 0 && (row = mysql_fetch_row(result)); number++) {
        const unsigned long *sizes = mysql_fetch_lengths(result);
        for (size_t i = 0; i < count; i++)
            cells[i] =
                row[i] ? (struct span){ row[i], sizes[i] } : (struct span){ "", 0 };
        rc = events->on_row(events->arg, cells, count, number);
    }
    /* A lost connection returns no row either. */
    return rc == 0 && mysql_errno(conn) ? mysql_refused(conn, EBADMSG, err) : rc;
}

static int mysql_query_read(MYSQL *conn, const char *query,
                            const struct table_query_events *events, struct err *err)
{
    if (mysql_real_query(conn, query, strlen(query)) != 0)
        return mysql_refused(conn, EBADMSG, err);
    MYSQL_RES *result = mysql_use_result(conn);
    if (!result)
        return mysql_errno(conn) ? mysql_refused(conn, EBADMSG, err)
                                 : err_set(err, EBADMSG,
                                           "MySQL: the query returns no rows: it is no "
                                           "SELECT");
    int rc = mysql_rows_read(conn, result, events, err);
    mysql_free_result(result); /* reads what is left of them */
    return rc;
}

int table_query_mysql(const char *defaults, const char *query, int64_t timeout_ns,
                      const struct table_query_events *events, struct err *err)
{
    int rc = defaults_check(defaults, err);
    if (rc < 0)
        return rc;
    AUTO(mysql_close) MYSQL *conn = mysql_init(NULL);
    if (!conn)
        return err_set(err, ENOMEM, "out of memory");
    rc = mysql_options_set(conn, defaults, timeout_ns, err);
    if (rc == 0 && !mysql_real_connect(conn, NULL, NULL, NULL, NULL, 0, NULL, 0))
        rc = mysql_refused(conn, ENOTCONN, err);
    if (rc == 0)
        rc = mysql_session_begin(conn, err);
    return rc < 0 ? rc : mysql_query_read(conn, query, events, err);
}
