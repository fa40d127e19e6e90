/* SPDX-License-Identifier: Apache-2.0 */
/* database_mysql - series out of an LMT database in MySQL or MariaDB.
 *
 * Its tables are copied into a file of SQLite without a name, and read as any copy is:
 * LMT keeps a day at full resolution there, so that both give the same series.
 */
#include "source/lmt/database_mysql.h"

#include "base/span.h"

#include "base/strbuf.h"

#include <fcntl.h>
#include <mysql.h>
#include <sqlite3.h>

#define ROWS_MAX INT64_C(100000000)

/* What is copied of each table; the first word after a comma is the column. */
static const struct copied {
    const char *table;
    const char *columns; /* as SQLite declares them */
    const char *order;
} copied[] = {
    { "TIMESTAMP_INFO", "TS_ID INTEGER PRIMARY KEY, TIMESTAMP TEXT", "TS_ID" },
    { "OST_INFO", "OST_ID INTEGER PRIMARY KEY, OST_NAME TEXT", "OST_ID" },
    { "OSS_INFO", "OSS_ID INTEGER PRIMARY KEY, HOSTNAME TEXT", "OSS_ID" },
    { "MDS_INFO", "MDS_ID INTEGER PRIMARY KEY, HOSTNAME TEXT", "MDS_ID" },
    { "OPERATION_INFO", "OPERATION_ID INTEGER PRIMARY KEY, OPERATION_NAME TEXT",
      "OPERATION_ID" },
    { "OST_DATA",
      "OST_ID NUMERIC, TS_ID NUMERIC, READ_BYTES NUMERIC, WRITE_BYTES NUMERIC, "
      "KBYTES_FREE NUMERIC, KBYTES_USED NUMERIC, INODES_FREE NUMERIC, "
      "INODES_USED NUMERIC",
      "TS_ID, OST_ID" },
    { "OSS_DATA", "OSS_ID NUMERIC, TS_ID NUMERIC, PCT_CPU NUMERIC, PCT_MEMORY NUMERIC",
      "TS_ID, OSS_ID" },
    { "MDS_DATA", "MDS_ID NUMERIC, TS_ID NUMERIC, PCT_CPU NUMERIC", "TS_ID, MDS_ID" },
    { "MDS_OPS_DATA",
      "MDS_ID NUMERIC, TS_ID NUMERIC, OPERATION_ID NUMERIC, SAMPLES NUMERIC",
      "TS_ID, MDS_ID, OPERATION_ID" },
};

static const char indexes[] = "CREATE INDEX OST_AT ON OST_DATA (OST_ID, TS_ID);"
                              "CREATE INDEX OSS_AT ON OSS_DATA (OSS_ID, TS_ID);"
                              "CREATE INDEX MDS_AT ON MDS_DATA (MDS_ID, TS_ID);"
                              "CREATE INDEX OPS_AT ON MDS_OPS_DATA"
                              " (MDS_ID, OPERATION_ID, TS_ID);";

struct copying {
    MYSQL *from;
    sqlite3 *to;
    struct err *err;
};

static int refused_by_mysql(const struct copying *c)
{
    return err_set(c->err, EBADMSG, "MySQL: %s", mysql_error(c->from));
}

static int refused_by_sqlite(const struct copying *c)
{
    return err_set(c->err, EIO, "a copy in SQLite: %s", sqlite3_errmsg(c->to));
}

/* "A, B" of "A INTEGER, B TEXT"; returns how many. */
static unsigned names_of(const char *columns, struct strbuf *out)
{
    struct span rest = span_of(columns), column, name;
    unsigned count = 0;
    bool is_more = true;
    while (is_more) {
        is_more = span_cut(&rest, ',', &column);
        column = span_trim(column);
        (void)span_cut(&column, ' ', &name);
        strbuf_addf(out, "%s" SPAN_FMT, count++ ? ", " : "", SPAN_ARG(name));
    }
    return count;
}

static int rows_copy(const struct copying *c, MYSQL_RES *rows, sqlite3_stmt *insert,
                     unsigned columns)
{
    MYSQL_ROW row;
    int64_t count = 0;
    if (mysql_num_fields(rows) != columns)
        return err_set(c->err, EBADMSG, "MySQL returns other columns than requested");
    while ((row = mysql_fetch_row(rows))) {
        const unsigned long *sizes = mysql_fetch_lengths(rows);
        if (++count > ROWS_MAX)
            return err_set(c->err, EFBIG, "MySQL: over %lld rows", (long long)ROWS_MAX);
        for (unsigned i = 0; i < columns; i++)
            if (!row[i] || sizes[i] > INT32_MAX)
                (void)sqlite3_bind_null(insert, (int)i + 1);
            else
                (void)sqlite3_bind_text(insert, (int)i + 1, row[i], (int)sizes[i],
                                        SQLITE_TRANSIENT);
        if (sqlite3_step(insert) != SQLITE_DONE)
            return refused_by_sqlite(c);
        (void)sqlite3_reset(insert);
    }
    return mysql_errno(c->from) ? refused_by_mysql(c) : 0;
}

static int table_copy(const struct copying *c, const struct copied *t)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf select = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf create = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf insert = STRBUF_INIT;
    sqlite3_stmt *statement = NULL;
    unsigned columns = names_of(t->columns, &names);
    strbuf_addf(&create, "CREATE TABLE %s (%s)", t->table, t->columns);
    strbuf_addf(&select, "SELECT %s FROM %s ORDER BY %s", strbuf_text(&names), t->table,
                t->order);
    strbuf_addf(&insert, "INSERT INTO %s VALUES (?", t->table);
    for (unsigned i = 1; i < columns; i++)
        strbuf_adds(&insert, ",?");
    strbuf_addc(&insert, ')');
    if (strbuf_error(&names) < 0 || strbuf_error(&create) < 0 ||
        strbuf_error(&select) < 0 || strbuf_error(&insert) < 0)
        return err_set(c->err, ENOMEM, "out of memory");
    if (sqlite3_exec(c->to, strbuf_text(&create), NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(c->to, strbuf_text(&insert), -1, &statement, NULL) !=
            SQLITE_OK)
        return refused_by_sqlite(c);
    MYSQL_RES *rows = mysql_real_query(c->from, strbuf_text(&select), select.size) == 0
                          ? mysql_use_result(c->from)
                          : NULL;
    int rc = rows ? rows_copy(c, rows, statement, columns) : refused_by_mysql(c);
    if (rows)
        mysql_free_result(rows);
    (void)sqlite3_finalize(statement);
    return rc;
}

static int tables_copy(const struct copying *c)
{
    int rc = 0;
    if (sqlite3_exec(c->to,
                     "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", NULL,
                     NULL, NULL) != SQLITE_OK)
        return refused_by_sqlite(c);
    /* Of engines without transactions the tables are of slightly different moments. */
    if (mysql_query(c->from, "START TRANSACTION WITH CONSISTENT SNAPSHOT") != 0)
        return refused_by_mysql(c);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(copied); i++)
        rc = table_copy(c, &copied[i]);
    if (rc == 0 && (sqlite3_exec(c->to, indexes, NULL, NULL, NULL) != SQLITE_OK ||
                    sqlite3_exec(c->to, "COMMIT", NULL, NULL, NULL) != SQLITE_OK))
        rc = refused_by_sqlite(c);
    return rc;
}

/* path is of an empty file. */
static int copy_into(const char *defaults, const char *path, struct err *err)
{
    struct copying c = { .from = mysql_init(NULL), .err = err };
    int rc = 0;
    if (!c.from || sqlite3_open(path, &c.to) != SQLITE_OK)
        rc = err_set(err, ENOMEM, "out of memory");
    if (rc == 0 && (mysql_options(c.from, MYSQL_READ_DEFAULT_FILE, defaults) != 0 ||
                    mysql_options(c.from, MYSQL_READ_DEFAULT_GROUP, "client") != 0 ||
                    !mysql_real_connect(c.from, NULL, NULL, NULL, NULL, 0, NULL, 0)))
        rc = refused_by_mysql(&c);
    if (rc == 0)
        rc = tables_copy(&c);
    (void)sqlite3_close(c.to);
    if (c.from)
        mysql_close(c.from);
    return rc;
}

int lmt_mysql_open(const char *defaults, const struct lmt_opts *opts, void **ret_state,
                   const struct lmt_format **ret_format, struct err *err)
{
    char path[512];
    const char *dir = getenv("TMPDIR");
    int size = snprintf(path, sizeof path, "%s/baro-lmt.XXXXXX", dir ? dir : "/tmp");
    if (access(defaults, R_OK) < 0)
        return err_set(err, errno, "%s: %s", defaults, strerror(errno));
    if (size < 0 || (size_t)size >= sizeof path)
        return err_set(err, ENAMETOOLONG, "TMPDIR is too long");
    AUTO_CLOSE int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    int rc = copy_into(defaults, path, err);
    if (rc == 0)
        rc = lmt_database_open(path, opts, ret_state, ret_format, err);
    (void)unlink(path); /* SQLite has it open */
    return rc;
}
