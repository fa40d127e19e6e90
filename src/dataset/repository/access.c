/* SPDX-License-Identifier: Apache-2.0 */
/* access - who may read a dataset, and which jobs did. */
#include "base/number.h"
#include "base/span.h"
#include "dataset/repository/facts.h"

#include <string.h>

static const char *const audiences[] = { [DATASET_PUBLIC] = "public",
                                         [DATASET_GROUP] = "group",
                                         [DATASET_PRIVATE] = "private" };

int dataset_audience_parse(const char *text, enum dataset_audience *ret,
                           struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(audiences); i++)
        if (!strcmp(text, audiences[i])) {
            *ret = (enum dataset_audience)i;
            return 0;
        }
    return err_set(err, EINVAL, "invalid access \"%s\" (choose public, group, private)",
                   text);
}

const char *dataset_audience_text(enum dataset_audience audience)
{
    return audiences[audience];
}

int repository_access(struct repository *r, const struct digest *name,
                      struct dataset_access *ret, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    struct dataset_access access = { 0 };
    int64_t dataset = 0;
    int rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = catalogue_prepare(
            r->db, "SELECT uid, gid, access FROM dataset WHERE id = ?", &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    rc = catalogue_step(row, err);
    if (rc <= 0)
        return rc < 0 ? rc : -ENOENT;
    access.uid = (uint32_t)sqlite3_column_int64(row, 0);
    access.gid = (uint32_t)sqlite3_column_int64(row, 1);
    const char *text = (const char *)sqlite3_column_text(row, 2);
    rc = dataset_audience_parse(text ? text : "", &access.audience, err);
    if (rc < 0)
        return err_set(err, EUCLEAN, "catalogue: an access that is not known");
    *ret = access;
    return 0;
}

int repository_access_set(struct repository *r, const struct digest *name,
                          const struct dataset_access *access, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int64_t dataset = 0;
    int rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = catalogue_prepare(r->db,
                               "UPDATE dataset SET uid = ?, gid = ?, access = ?"
                               " WHERE id = ?",
                               &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, access->uid);
    (void)sqlite3_bind_int64(row, 2, access->gid);
    catalogue_bind_text(row, 3, span_of(dataset_audience_text(access->audience)));
    (void)sqlite3_bind_int64(row, 4, dataset);
    return catalogue_run(row, err);
}

/* ---- jobs ---- */

int repository_jobs(struct repository *r, const struct digest *name, struct table *out,
                    struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    table_add_column(out, "job", TABLE_TEXT, "");
    table_add_column(out, "user", TABLE_TEXT, "");
    table_add_column(out, "since", TABLE_TIME, "");
    table_add_column(out, "until", TABLE_TIME, "");
    int rc = catalogue_prepare(r->db,
                               "SELECT job, owner, since_ns, until_ns FROM used"
                               " WHERE dataset = ? ORDER BY since_ns DESC, ref DESC",
                               &rows, err);
    if (rc < 0)
        return rc;
    catalogue_bind_digest(rows, 1, name);
    while ((rc = catalogue_step(rows, err)) > 0) {
        table_add_row(out);
        table_set_text(out, 0, catalogue_span(rows, 0));
        table_set_text(out, 1, catalogue_span(rows, 1));
        table_set_i64(out, 2, sqlite3_column_int64(rows, 2) / NS_PER_MS);
        if (sqlite3_column_type(rows, 3) != SQLITE_NULL)
            table_set_i64(out, 3, sqlite3_column_int64(rows, 3) / NS_PER_MS);
    }
    return rc < 0 ? rc : table_error(out);
}
