/* SPDX-License-Identifier: Apache-2.0 */
/* lmt_day - writes a day of an LMT database as its copy in SQLite, for the bench.
 *
 *     lmt_day TARGETS PATH
 *
 * Steps of 5 s from 2017-07-14T00:00Z on, one server for each target, one metadata
 * server with 81 operations; tables, columns and keys as LMT has them, rows in the
 * order of time.  Counters grow by numbers out of a fixed seed.
 */
#include "base/cleanup.h"
#include "base/err.h"
#include "base/number.h"
#include "base/span.h"

#include <sqlite3.h>
#include <time.h>

#define START_S INT64_C(1499990400)
#define STEP_S 5
#define STEPS 17280
#define OPERATIONS 81
#define TARGETS_MAX 4096

static const char *const schema =
    "CREATE TABLE MDS_DATA (MDS_ID, TS_ID, PCT_CPU, KBYTES_FREE, KBYTES_USED,"
    " INODES_FREE, INODES_USED, PRIMARY KEY(MDS_ID, TS_ID));"
    "CREATE TABLE OST_DATA (OST_ID, TS_ID, READ_BYTES, WRITE_BYTES, PCT_CPU,"
    " KBYTES_FREE, KBYTES_USED, INODES_FREE, INODES_USED, PRIMARY KEY(OST_ID, TS_ID));"
    "CREATE TABLE OST_INFO (OST_ID, OSS_ID, OST_NAME, HOSTNAME, OFFLINE, DEVICE_NAME,"
    " PRIMARY KEY(OST_ID));"
    "CREATE TABLE OSS_INFO (OSS_ID, FILESYSTEM_ID, HOSTNAME, FAILOVERHOST,"
    " PRIMARY KEY(OSS_ID, HOSTNAME));"
    "CREATE TABLE MDS_OPS_DATA (MDS_ID, TS_ID, OPERATION_ID, SAMPLES, SUM, SUMSQUARES,"
    " PRIMARY KEY(MDS_ID, TS_ID, OPERATION_ID));"
    "CREATE TABLE OPERATION_INFO (OPERATION_ID, OPERATION_NAME, UNITS,"
    " PRIMARY KEY(OPERATION_ID));"
    "CREATE TABLE TIMESTAMP_INFO (TS_ID, TIMESTAMP, PRIMARY KEY(TS_ID));"
    "CREATE TABLE OSS_DATA (OSS_ID, TS_ID, PCT_CPU, PCT_MEMORY,"
    " PRIMARY KEY(OSS_ID, TS_ID));"
    "CREATE TABLE MDS_INFO (MDS_ID, FILESYSTEM_ID, MDS_NAME, HOSTNAME, DEVICE_NAME,"
    " PRIMARY KEY(MDS_ID));"
    "INSERT INTO MDS_INFO VALUES (1, 1, 'fs-MDT0000', 'mds1', '');";

struct day {
    sqlite3 *db;
    sqlite3_stmt *stamp, *ost, *oss, *mds, *op;
    int64_t targets;
    uint64_t random;
    int64_t *read_bytes, *write_bytes;
    int64_t ops[OPERATIONS];
};

static uint64_t draw(struct day *d, uint64_t below)
{
    d->random =
        d->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (d->random >> 33) % below;
}

static int run(struct day *d, sqlite3_stmt *statement, const int64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        (void)sqlite3_bind_int64(statement, i + 1, values[i]);
    int rc = sqlite3_step(statement);
    (void)sqlite3_reset(statement);
    (void)d;
    return rc == SQLITE_DONE ? 0 : -EIO;
}

static int names_put(struct day *d)
{
    static const char *const known[] = { "open",     "close",  "mknod",   "link",
                                         "unlink",   "mkdir",  "rmdir",   "rename",
                                         "getxattr", "statfs", "setattr", "getattr" };
    char sql[256];
    int rc = SQLITE_OK;
    for (int64_t i = 0; i < d->targets && rc == SQLITE_OK; i++) {
        (void)snprintf(sql, sizeof sql,
                       "INSERT INTO OST_INFO VALUES (%lld, %lld, 'fs-OST%04llx', '', 0,"
                       " ''); INSERT INTO OSS_INFO VALUES (%lld, 1, 'oss%lld', '');",
                       (long long)i + 1, (long long)i + 1, (long long)i,
                       (long long)i + 1, (long long)i + 1);
        rc = sqlite3_exec(d->db, sql, NULL, NULL, NULL);
    }
    for (unsigned i = 0; i < OPERATIONS && rc == SQLITE_OK; i++) {
        if (i < COUNT_OF(known))
            (void)snprintf(sql, sizeof sql,
                           "INSERT INTO OPERATION_INFO VALUES (%u, '%s', 'reqs')",
                           i + 1, known[i]);
        else
            (void)snprintf(sql, sizeof sql,
                           "INSERT INTO OPERATION_INFO VALUES (%u, 'op%u', 'reqs')",
                           i + 1, i);
        rc = sqlite3_exec(d->db, sql, NULL, NULL, NULL);
    }
    return rc == SQLITE_OK ? 0 : -EIO;
}

static int sample_put(struct day *d, int64_t step)
{
    time_t t = START_S + step * STEP_S;
    struct tm tm;
    char text[32];
    size_t size = strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", gmtime_r(&t, &tm));
    int64_t id = 8921898 + step;
    (void)sqlite3_bind_text(d->stamp, 2, text, (int)size, SQLITE_TRANSIENT);
    int rc = run(d, d->stamp, (const int64_t[]){ id }, 1);
    for (int64_t i = 0; i < d->targets && rc == 0; i++) {
        bool is_busy = draw(d, 3) == 0;
        d->read_bytes[i] += is_busy ? (int64_t)draw(d, 1 << 20) * 1024 : 0;
        d->write_bytes[i] += is_busy ? (int64_t)draw(d, 1 << 20) * 2048 : 4096;
        int64_t used = 50000000000 + i * 10000000 + step * 100;
        const int64_t ost[] = {
            i + 1, id,       d->read_bytes[i], d->write_bytes[i], 0, 90767625352 - used,
            used,  74202919, 14465625 + step
        };
        const int64_t oss[] = { i + 1, id, (int64_t)draw(d, 60),
                                40 + (int64_t)draw(d, 9) };
        rc = run(d, d->ost, ost, COUNT_OF(ost));
        if (rc == 0)
            rc = run(d, d->oss, oss, COUNT_OF(oss));
    }
    if (rc == 0)
        rc = run(d, d->mds,
                 (const int64_t[]){ 1, id, (int64_t)draw(d, 100), 1, 1, 1, 1 }, 7);
    for (int64_t i = 0; i < OPERATIONS && rc == 0; i++) {
        d->ops[i] += (int64_t)draw(d, 2000);
        rc = run(d, d->op, (const int64_t[]){ 1, id, i + 1, d->ops[i], 0, 0 }, 6);
    }
    return rc;
}

static int day_write(struct day *d, const char *path)
{
    const struct {
        const char *sql;
        sqlite3_stmt **to;
    } statements[] = {
        { "INSERT INTO TIMESTAMP_INFO VALUES (?, ?)", &d->stamp },
        { "INSERT INTO OST_DATA VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", &d->ost },
        { "INSERT INTO OSS_DATA VALUES (?, ?, ?, ?)", &d->oss },
        { "INSERT INTO MDS_DATA VALUES (?, ?, ?, ?, ?, ?, ?)", &d->mds },
        { "INSERT INTO MDS_OPS_DATA VALUES (?, ?, ?, ?, ?, ?)", &d->op },
    };
    int rc = sqlite3_open(path, &d->db);
    (void)sqlite3_exec(d->db,
                       "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF;"
                       "PRAGMA cache_size=-200000; BEGIN",
                       NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(d->db, schema, NULL, NULL, NULL);
    for (size_t i = 0; i < COUNT_OF(statements) && rc == SQLITE_OK; i++)
        rc = sqlite3_prepare_v2(d->db, statements[i].sql, -1, statements[i].to, NULL);
    int failed = rc == SQLITE_OK ? names_put(d) : -EIO;
    for (int64_t step = 0; step <= STEPS && failed == 0; step++)
        failed = sample_put(d, step);
    for (size_t i = 0; i < COUNT_OF(statements); i++)
        (void)sqlite3_finalize(*statements[i].to);
    if (failed == 0 && sqlite3_exec(d->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        failed = -EIO;
    if (failed < 0)
        fprintf(stderr, "lmt_day: %s\n", sqlite3_errmsg(d->db));
    (void)sqlite3_close(d->db);
    return failed;
}

int main(int argc, char **argv)
{
    struct day day = { .random = 20170714 };
    uint64_t targets = 0;
    if (argc != 3 || number_parse_u64(span_of(argv[1]), &targets) < 0 || targets < 1 ||
        targets > TARGETS_MAX) {
        fprintf(stderr, "lmt_day TARGETS PATH\n");
        return EXIT_USAGE;
    }
    day.targets = (int64_t)targets;
    day.read_bytes = calloc(targets, sizeof *day.read_bytes);
    day.write_bytes = calloc(targets, sizeof *day.write_bytes);
    (void)unlink(argv[2]);
    int rc = day.read_bytes && day.write_bytes ? day_write(&day, argv[2]) : -ENOMEM;
    free(day.read_bytes);
    free(day.write_bytes);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
