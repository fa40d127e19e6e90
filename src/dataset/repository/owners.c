/* SPDX-License-Identifier: Apache-2.0 */
/* owners - users beside a dataset's first owner who have it by having sent all of it.
 */
#include "dataset/repository/owners.h"

#include "base/clock.h"
#include "base/span.h"

/* Whether a row with uid, gid and access is readable by user ?2 with groups ?3. */
#define READABLE                                              \
    "(access = 'public' OR uid = ?2 OR (access = 'group' AND" \
    " instr('.' || ?3 || '.', '.' || gid || '.') > 0))"

/* 1: there is a table. */
static int owner_table_find(struct repository *r, struct err *err)
{
    int64_t count = 0;
    int rc = catalogue_number(
        r->db, "SELECT count(*) FROM sqlite_master WHERE name = 'co_owner'", &count,
        err);
    return rc < 0 ? rc : count > 0;
}

/* 1: there is a row. */
static int owner_row_find(struct repository *r, const char *sql, int64_t id,
                          uint32_t uid, const char *groups, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc = catalogue_prepare(r->db, sql, &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, id);
    (void)sqlite3_bind_int64(row, 2, uid);
    if (groups)
        catalogue_bind_text(row, 3, span_of(groups));
    return catalogue_step(row, err);
}

int owners_permit(struct repository *r, int64_t dataset, uint32_t uid,
                  const char *groups, struct err *err)
{
    int rc = owner_table_find(r, err);
    return rc <= 0 ? rc
                   : owner_row_find(
                         r,
                         "SELECT 1 FROM co_owner WHERE dataset = ?1 AND " READABLE
                         " LIMIT 1",
                         dataset, uid, groups, err);
}

int owners_has_first(struct repository *r, int64_t dataset, uint32_t uid,
                     struct err *err)
{
    return owner_row_find(r, "SELECT 1 FROM dataset WHERE id = ?1 AND uid = ?2",
                          dataset, uid, NULL, err);
}

int owners_has(struct repository *r, int64_t dataset, uint32_t uid, struct err *err)
{
    int rc = owners_has_first(r, dataset, uid, err);
    if (rc == 0)
        rc = owner_table_find(r, err);
    else
        return rc;
    return rc <= 0 ? rc
                   : owner_row_find(
                         r, "SELECT 1 FROM co_owner WHERE dataset = ?1 AND uid = ?2",
                         dataset, uid, NULL, err);
}

int owners_add(struct repository *r, int64_t dataset,
               const struct dataset_access *access, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc = catalogue_exec(r->db, catalogue_co_owner_table, err);
    if (rc == 0)
        rc = catalogue_prepare(r->db,
                               "INSERT OR REPLACE INTO co_owner"
                               "(dataset, uid, gid, access, since_ns)"
                               " VALUES(?, ?, ?, ?, ?)",
                               &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    (void)sqlite3_bind_int64(row, 2, access->uid);
    (void)sqlite3_bind_int64(row, 3, access->gid);
    catalogue_bind_text(row, 4, span_of(dataset_audience_text(access->audience)));
    (void)sqlite3_bind_int64(row, 5, clock_now_ns());
    return catalogue_run(row, err);
}

int owners_bytes(struct repository *r, uint32_t uid, uint64_t *ret, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc = owner_table_find(r, err);
    *ret = 0;
    if (rc > 0)
        rc = catalogue_prepare(r->db,
                               "SELECT sum(dataset.bytes) FROM co_owner"
                               " JOIN dataset ON dataset.id = co_owner.dataset"
                               " WHERE co_owner.uid = ?",
                               &row, err);
    if (rc < 0 || !row)
        return rc;
    (void)sqlite3_bind_int64(row, 1, uid);
    rc = catalogue_step(row, err);
    if (rc > 0)
        *ret = (uint64_t)sqlite3_column_int64(row, 0);
    return rc < 0 ? rc : 0;
}

int owners_chunk_is_readable(struct repository *r, int64_t chunk, uint32_t uid,
                             const char *groups, struct err *err)
{
    static const char first[] =
        "SELECT 1 FROM dataset_chunk JOIN dataset ON dataset.id = dataset_chunk.dataset"
        " WHERE chunk = ?1 AND " READABLE " LIMIT 1";
    static const char other[] = "SELECT 1 FROM dataset_chunk JOIN co_owner"
                                " ON co_owner.dataset = dataset_chunk.dataset"
                                " WHERE chunk = ?1 AND " READABLE " LIMIT 1";
    int rc = owner_row_find(r, first, chunk, uid, groups, err);
    if (rc == 0)
        rc = owner_table_find(r, err);
    else
        return rc;
    return rc <= 0 ? rc : owner_row_find(r, other, chunk, uid, groups, err);
}

int owners_show(struct repository *r, int64_t dataset, struct table *out,
                struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    int rc = owner_table_find(r, err);
    if (rc > 0)
        rc = catalogue_prepare(r->db,
                               "SELECT uid || ' (' || access || ')' FROM co_owner"
                               " WHERE dataset = ? ORDER BY uid",
                               &rows, err);
    if (rc < 0 || !rows)
        return rc;
    (void)sqlite3_bind_int64(rows, 1, dataset);
    while ((rc = catalogue_step(rows, err)) > 0) {
        table_add_row(out);
        table_set_text(out, 0, SPAN("other owner"));
        table_set_text(out, 1, catalogue_span(rows, 0));
    }
    return rc;
}
