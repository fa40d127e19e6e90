/* SPDX-License-Identifier: Apache-2.0 */
/* names - batches, servers and namespaces in SQLite. */
#include "records/sqlite/names.h"

#include "records/tables/tables.h"

int sqlite_find_batch(struct records_backend *b, const struct uuid *agent,
                      uint64_t sequence, struct arena *arena, bool *ret_found,
                      struct stored_response *ret, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(b->db,
                        "SELECT taken, known, refused, refusals FROM batches "
                        "WHERE agent = ?1 AND sequence = ?2",
                        &stmt, err);
    if (rc < 0)
        return rc;
    db_bind_uuid(stmt, 1, agent);
    (void)sqlite3_bind_int64(stmt, 2, counter_to_db(sequence));
    rc = db_step(stmt, err);
    if (rc < 0)
        return rc;
    *ret_found = rc > 0;
    if (rc == 0)
        return 0;
    ret->accepted = (uint64_t)sqlite3_column_int64(stmt, 0);
    ret->duplicate = (uint64_t)sqlite3_column_int64(stmt, 1);
    ret->refused = (uint64_t)sqlite3_column_int64(stmt, 2);
    ret->refusals = arena_dup(arena, db_span(stmt, 3));
    return ret->refusals ? 0 : -ENOMEM;
}

int sqlite_add_batch(struct records_backend *b, const struct uuid *agent,
                     uint64_t sequence, int64_t now_ms,
                     const struct stored_response *response, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(b->db, "INSERT INTO batches VALUES (?1,?2,?3,?4,?5,?6,?7)",
                        &stmt, err);
    if (rc < 0)
        return rc;
    db_bind_uuid(stmt, 1, agent);
    (void)sqlite3_bind_int64(stmt, 2, counter_to_db(sequence));
    (void)sqlite3_bind_int64(stmt, 3, now_ms);
    (void)sqlite3_bind_int64(stmt, 4, (int64_t)response->accepted);
    (void)sqlite3_bind_int64(stmt, 5, (int64_t)response->duplicate);
    (void)sqlite3_bind_int64(stmt, 6, (int64_t)response->refused);
    db_bind_span(stmt, 7, span_of(response->refusals));
    rc = db_run(stmt, err);
    if (rc == 0)
        b->identity.arrived_ms = now_ms;
    return rc;
}

int sqlite_server_id(struct records_backend *b, struct span server, int32_t *ret,
                     struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(b->db,
                        "INSERT INTO servers (name) VALUES (?1) ON CONFLICT (name) "
                        "DO UPDATE SET name = name RETURNING server",
                        &stmt, err);
    if (rc < 0)
        return rc;
    db_bind_span(stmt, 1, server);
    rc = db_step(stmt, err);
    if (rc > 0)
        *ret = sqlite3_column_int(stmt, 0);
    return rc < 0 ? rc : 0;
}

int sqlite_find_namespace(struct records_backend *b, struct span fs, struct span format,
                          bool *ret_found, struct uuid *ret, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(
        b->db, "SELECT namespace FROM namespaces WHERE fs = ?1 AND format = ?2", &stmt,
        err);
    if (rc < 0)
        return rc;
    db_bind_span(stmt, 1, fs);
    db_bind_span(stmt, 2, format.data ? format : SPAN(""));
    rc = db_step(stmt, err);
    if (rc < 0)
        return rc;
    *ret_found = rc > 0;
    return rc > 0 ? db_uuid(stmt, 0, ret) : 0;
}

static int namespace_run(struct records_backend *b, const char *sql, struct span fs,
                         struct span format, const struct uuid *ns, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(b->db, sql, &stmt, err);
    if (rc < 0)
        return rc;
    db_bind_span(stmt, 1, fs);
    db_bind_span(stmt, 2, format.data ? format : SPAN(""));
    db_bind_uuid(stmt, 3, ns);
    return db_run(stmt, err);
}

#define NAMESPACE_INSERT \
    "INSERT INTO namespaces VALUES (?1, ?2, ?3) ON CONFLICT (fs, format) "

int sqlite_add_namespace(struct records_backend *b, struct span fs, struct span format,
                         const struct uuid *ns, struct err *err)
{
    return namespace_run(b, NAMESPACE_INSERT "DO NOTHING", fs, format, ns, err);
}

int sqlite_set_namespace(struct records_backend *b, struct span fs, struct span format,
                         const struct uuid *ns, struct err *err)
{
    return namespace_run(
        b, NAMESPACE_INSERT "DO UPDATE SET namespace = excluded.namespace", fs, format,
        ns, err);
}

int sqlite_namespace_names(struct records_backend *b, const struct uuid *ns,
                           struct span fs, engine_name_fn *fn, void *arg,
                           struct err *err)
{
    AUTO_STMT sqlite3_stmt *add = NULL;
    AUTO_STMT sqlite3_stmt *find = NULL;
    int rc = db_prepare(b->db,
                        "INSERT INTO namespace_names VALUES (?1, ?2) "
                        "ON CONFLICT DO NOTHING",
                        &add, err);
    if (rc == 0)
        rc = db_prepare(b->db,
                        "SELECT fs FROM namespace_names WHERE namespace = ?1 "
                        "AND fs <> ?2",
                        &find, err);
    if (rc < 0)
        return rc;
    db_bind_uuid(add, 1, ns);
    db_bind_span(add, 2, fs);
    db_bind_uuid(find, 1, ns);
    db_bind_span(find, 2, fs);
    rc = db_run(add, err);
    while (rc == 0 && (rc = db_step(find, err)) > 0)
        rc = fn(arg, db_span(find, 0));
    return rc;
}
