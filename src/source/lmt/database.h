/* SPDX-License-Identifier: Apache-2.0 */
/* database - what the files that read an LMT database share; for this room alone. */
#ifndef SOURCE_LMT_DATABASE_H
#define SOURCE_LMT_DATABASE_H

#include "source/lmt/counter.h"
#include "source/lmt/series_format.h"

#include <sqlite3.h>

#define DATABASE_OST_COMPONENTS \
    "SELECT OST_ID, OST_NAME FROM OST_INFO ORDER BY OST_NAME"
#define DATABASE_OSS_COMPONENTS \
    "SELECT OSS_ID, HOSTNAME FROM OSS_INFO ORDER BY HOSTNAME"
#define DATABASE_MDS_COMPONENTS \
    "SELECT MDS_ID, HOSTNAME FROM MDS_INFO ORDER BY HOSTNAME"

struct database_stamp {
    int64_t id; /* TS_ID */
    int64_t t_s;
};

struct lmt_database {
    sqlite3 *db;
    char *path;
    struct database_stamp *stamps; /* by id, which is by time */
    size_t stamp_count;
    int64_t step_s;
};

struct database_components {
    int64_t *ids;
    struct span *names;
    size_t *map; /* room for the columns of a grid */
    size_t count;
};

static inline void auto_statement(sqlite3_stmt *const *statement)
{
    (void)sqlite3_finalize(*statement);
}
#define AUTO_STATEMENT __attribute__((cleanup(auto_statement))) sqlite3_stmt

/* Open the file at path and read its times.  On success *ret is the caller's, to
 * database_close().  Errors: -EBADMSG (SQLite cannot read it, a time is none, or fewer
 * than two), -EFBIG (too many times), -EIO, -ENOMEM. */
int database_open(const char *path, const struct lmt_opts *opts,
                  struct lmt_database **ret, struct err *err);
void database_close(struct lmt_database *d); /* NULL is fine */
DEFINE_AUTO(struct lmt_database, database_close);

/* -EBADMSG with SQLite's last message. */
int database_refused(const struct lmt_database *d, struct err *err);
int database_prepare(const struct lmt_database *d, const char *sql, sqlite3_stmt **ret,
                     struct err *err);
/* A dated sample or NULL. */
const struct database_stamp *database_stamp_find(const struct lmt_database *d,
                                                 int64_t id);
/* The ids of the samples that [from_s, to_s) needs: one sample more at its end, and
 * what came up to an hour before, where a gap may have begun.  False: none. */
bool database_ids(const struct lmt_database *d, int64_t from_s, int64_t to_s,
                  int64_t *ret_first, int64_t *ret_last);
int database_components_read(const struct lmt_database *d, const char *sql,
                             struct database_components *c, struct err *err);
void database_components_done(struct database_components *c);
DEFINE_AUTO_DONE(struct database_components, database_components_done);
int database_scan(void *state, const struct lmt_scan *scan, struct err *err);

#endif
