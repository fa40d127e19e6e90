/* SPDX-License-Identifier: Apache-2.0 */
/* series_maker - writes the same two minutes of a small file system in every format. */
#include "source/lmt/test/series_maker.h"

#include "base/cleanup.h"
#include "base/strbuf.h"

#include <sqlite3.h>
#include <time.h>

static const char *const schema =
    "CREATE TABLE TIMESTAMP_INFO (TS_ID, TIMESTAMP, PRIMARY KEY(TS_ID));"
    "CREATE TABLE OST_INFO (OST_ID, OSS_ID, OST_NAME, PRIMARY KEY(OST_ID));"
    "CREATE TABLE OSS_INFO (OSS_ID, HOSTNAME, PRIMARY KEY(OSS_ID));"
    "CREATE TABLE MDS_INFO (MDS_ID, MDS_NAME, HOSTNAME, PRIMARY KEY(MDS_ID));"
    "CREATE TABLE OPERATION_INFO (OPERATION_ID, OPERATION_NAME);"
    "CREATE TABLE OST_DATA (OST_ID, TS_ID, READ_BYTES, WRITE_BYTES, KBYTES_FREE,"
    " KBYTES_USED, INODES_FREE, INODES_USED, PRIMARY KEY(OST_ID, TS_ID));"
    "CREATE TABLE OSS_DATA (OSS_ID, TS_ID, PCT_CPU, PCT_MEMORY,"
    " PRIMARY KEY(OSS_ID, TS_ID));"
    "CREATE TABLE MDS_DATA (MDS_ID, TS_ID, PCT_CPU, PRIMARY KEY(MDS_ID, TS_ID));"
    "CREATE TABLE MDS_OPS_DATA (MDS_ID, TS_ID, OPERATION_ID, SAMPLES,"
    " PRIMARY KEY(MDS_ID, TS_ID, OPERATION_ID));"
    "INSERT INTO OST_INFO VALUES (1, 1, 'fs-OST0000'), (2, 2, 'fs-OST0001');"
    "INSERT INTO OSS_INFO VALUES (1, 'oss1'), (2, 'oss2');"
    "INSERT INTO MDS_INFO VALUES (1, 'fs-MDT0000', 'mds1');"
    "INSERT INTO OPERATION_INFO VALUES (1, 'open'), (2, 'getattr');";

/* Counters have the sum of all steps before sample i. */
static void sample_put(struct strbuf *sql, int64_t i)
{
    int64_t sum = i * (i - 1) / 2;
    time_t t = MAKER_START + i * MAKER_STEP;
    struct tm tm;
    char text[32];
    (void)strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", gmtime_r(&t, &tm));
    strbuf_addf(sql, "INSERT INTO TIMESTAMP_INFO VALUES (%lld, '%s');",
                (long long)(100 + i), text);
    for (int64_t k = 0; k < MAKER_TARGETS; k++) {
        strbuf_addf(sql,
                    "INSERT INTO OST_DATA VALUES (%lld, %lld, %lld, %lld, 800, 200,"
                    " 90, 10);",
                    (long long)(k + 1), (long long)(100 + i),
                    (long long)(1000000 + (k + 1) * 4096 * sum),
                    (long long)(5000000 + (k + 1) * 1048576 * i));
        strbuf_addf(sql, "INSERT INTO OSS_DATA VALUES (%lld, %lld, %lld.5, 50);",
                    (long long)(k + 1), (long long)(100 + i),
                    (long long)(10 * (k + 1)));
    }
    strbuf_addf(sql, "INSERT INTO MDS_DATA VALUES (1, %lld, %lld);",
                (long long)(100 + i), (long long)i);
    for (int64_t op = 1; op <= 2; op++)
        strbuf_addf(sql, "INSERT INTO MDS_OPS_DATA VALUES (1, %lld, %lld, %lld);",
                    (long long)(100 + i), (long long)op, (long long)(7 + op * sum));
}

int make_database(const char *path, const char *sql, struct err *err)
{
    AUTO(strbuf_done) struct strbuf all = STRBUF_INIT;
    sqlite3 *db = NULL;
    (void)unlink(path);
    strbuf_addf(&all, "BEGIN; %s", schema);
    for (int64_t i = 0; i <= MAKER_STEPS; i++)
        sample_put(&all, i);
    strbuf_addf(&all, "%s COMMIT;", sql ? sql : "");
    int rc = 0;
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db, strbuf_text(&all), NULL, NULL, NULL) != SQLITE_OK)
        rc = err_set(err, EIO, "%s: %s", path, sqlite3_errmsg(db));
    (void)sqlite3_close(db);
    return rc;
}
