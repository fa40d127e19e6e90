/* SPDX-License-Identifier: Apache-2.0 */
/* access - who may read a dataset, and which jobs did. */
#include "base/number.h"
#include "base/span.h"
#include "base/system/group.h"
#include "dataset/repository/facts.h"
#include "dataset/repository/owners.h"

#include <pwd.h>
#include <string.h>

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

static bool has_group(const char *groups, uint32_t gid)
{
    struct span rest = span_of(groups), word;
    uint64_t number;
    while (rest.size) {
        (void)span_cut(&rest, '.', &word);
        if (number_parse_u64(word, &number) == 0 && number == gid)
            return true;
    }
    return false;
}

static bool first_permits(const struct dataset_access *access, uint32_t uid,
                          const char *groups)
{
    return access->audience == DATASET_PUBLIC || uid == access->uid || uid == 0 ||
           (access->audience == DATASET_GROUP && has_group(groups, access->gid));
}

int repository_owner_seen(struct repository *r, const struct digest *name, uint32_t uid,
                          const char *groups, uint32_t *ret, struct err *err)
{
    struct dataset_access access = { 0 };
    int rc = repository_access(r, name, &access, err);
    if (rc == 0)
        *ret = first_permits(&access, uid, groups) ? access.uid : uid;
    return rc;
}

int repository_permit(struct repository *r, const struct digest *name, uint32_t uid,
                      const char *groups, struct err *err)
{
    struct dataset_access access = { 0 };
    int64_t dataset = 0;
    int rc = repository_access(r, name, &access, err);
    if (rc < 0)
        return rc;
    if (first_permits(&access, uid, groups))
        return 0;
    rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = owners_permit(r, dataset, uid, groups, err);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    return err_set(err, EACCES, "user %u may not read it", uid);
}

static int access_set(struct repository *r, const struct digest *name,
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

/* A name, or a number. */
static int owner_find(const char *text, uint32_t *ret, struct err *err)
{
    const struct passwd *user = getpwnam(text);
    uint64_t number = 0;
    if (!user && (number_parse_u64(span_of(text), &number) < 0 || number >= UINT32_MAX))
        return err_set(err, EINVAL, "there is no user '%s'", text);
    *ret = user ? user->pw_uid : (uint32_t)number;
    return 0;
}

static int owner_group_find(const char *text, uint32_t *ret, struct err *err)
{
    uint64_t number = 0;
    gid_t gid = 0;
    if (group_find(text, &gid) == 0)
        number = gid;
    else if (number_parse_u64(span_of(text), &number) < 0 || number >= UINT32_MAX)
        return err_set(err, EINVAL, "there is no group '%s'", text);
    *ret = (uint32_t)number;
    return 0;
}

int repository_access_change(struct repository *r, const struct digest *name,
                             const struct dataset_access_texts *texts, struct err *err)
{
    struct dataset_access access = { 0 };
    int rc = repository_access(r, name, &access, err);
    if (rc == 0 && texts->audience)
        rc = dataset_audience_parse(texts->audience, &access.audience, err);
    if (rc == 0 && texts->owner)
        rc = owner_find(texts->owner, &access.uid, err);
    if (rc == 0 && texts->group)
        rc = owner_group_find(texts->group, &access.gid, err);
    return rc < 0 ? rc : access_set(r, name, &access, err);
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
    table_add_column(out, "nodes", TABLE_TEXT, "");
    int rc =
        catalogue_prepare(r->db,
                          "SELECT substr(job, 1, instr(job || ' ', ' ') - 1) AS id,"
                          " owner, min(since_ns),"
                          " CASE WHEN count(*) = count(until_ns)"
                          "  THEN max(until_ns) END,"
                          " group_concat(DISTINCT CASE WHEN instr(job, ' ') THEN"
                          "  substr(job, instr(job, ' ') + 1,"
                          "   instr(job || ':', ':') - instr(job, ' ') - 1) END)"
                          " FROM used WHERE dataset = ?"
                          " GROUP BY id, owner ORDER BY 3 DESC, max(ref) DESC",
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
        if (sqlite3_column_type(rows, 4) != SQLITE_NULL)
            table_set_text(out, 4, catalogue_span(rows, 4));
    }
    return rc < 0 ? rc : table_error(out);
}
