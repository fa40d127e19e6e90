/* SPDX-License-Identifier: Apache-2.0 */
/* parents - which dataset one is a new version of, and what it has of it. */
#include "base/span.h"
#include "dataset/repository/facts.h"

static int rows_copy(struct repository *r, const char *sql, int64_t from, int64_t to,
                     struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    int rc = catalogue_prepare(r->db, sql, &rows, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(rows, 1, to);
    (void)sqlite3_bind_int64(rows, 2, from);
    return catalogue_run(rows, err);
}

static int parent_row_add(struct repository *r, int64_t dataset,
                          const struct digest *parent, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc = catalogue_exec(r->db, catalogue_parent_table, err);
    if (rc == 0)
        rc = catalogue_prepare(
            r->db, "INSERT OR IGNORE INTO parent(dataset, name) VALUES(?, ?)", &row,
            err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    catalogue_bind_digest(row, 2, parent);
    return catalogue_run(row, err);
}

int facts_parent_set(struct repository *r, int64_t dataset, const struct digest *parent,
                     struct err *err)
{
    int64_t from = 0;
    int rc = facts_need(r, parent, &from, err);
    if (rc < 0 || from == dataset) /* the same files: no new version */
        return rc;
    rc = parent_row_add(r, dataset, parent, err);
    if (rc == 0)
        rc = rows_copy(r,
                       "INSERT OR IGNORE INTO label(dataset, key, value)"
                       " SELECT ?, key, value FROM label WHERE dataset = ?",
                       from, dataset, err);
    if (rc == 0)
        rc = catalogue_has_table(r->db, "view", err);
    return rc > 0 ? rows_copy(r,
                              "INSERT OR IGNORE INTO view(dataset, name, text)"
                              " SELECT ?, name, text FROM view WHERE dataset = ?",
                              from, dataset, err)
                  : rc;
}

int facts_parents(struct repository *r, int64_t dataset, sqlite3_stmt **ret,
                  struct err *err)
{
    int rc = catalogue_has_table(r->db, "parent", err);
    if (rc <= 0)
        return rc;
    rc = catalogue_prepare(
        r->db, "SELECT name FROM parent WHERE dataset = ? ORDER BY name", ret, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(*ret, 1, dataset);
    return 1;
}
