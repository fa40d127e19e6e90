/* SPDX-License-Identifier: Apache-2.0 */
/* names - the tables of batches, servers and namespaces, for both engines. */
#include "records/engine/names.h"

#include "base/span.h"

#include "records/tables/tables.h"

/* ---- batches ---- */

struct batch_read {
    struct arena *arena;
    struct stored_response *response;
    bool has_row;
};

static int batch_row(void *arg, const struct sql_row *row)
{
    struct batch_read *read = arg;
    struct stored_response *response = read->response;
    response->accepted = (uint64_t)sql_row_i64(row, 0);
    response->duplicate = (uint64_t)sql_row_i64(row, 1);
    response->refused = (uint64_t)sql_row_i64(row, 2);
    response->refusals = arena_dup(read->arena, sql_row_text(row, 3));
    read->has_row = true;
    return response->refusals ? 0 : -ENOMEM;
}

int batch_find(const struct sql_conn *conn, const struct uuid *agent, uint64_t sequence,
               struct arena *arena, bool *ret_found, struct stored_response *ret,
               struct err *err)
{
    struct stored_response response = { 0 };
    struct batch_read read = { .arena = arena, .response = &response };
    const struct sql_value key[] = { sql_uuid(agent),
                                     sql_i64(counter_to_db(sequence)) };
    int rc = sql_run(conn,
                     "SELECT taken, known, refused, refusals FROM batches "
                     "WHERE agent = $1 AND sequence = $2",
                     key, COUNT_OF(key), batch_row, &read, err);
    if (rc < 0)
        return rc;
    *ret_found = read.has_row;
    if (read.has_row)
        *ret = response;
    return 0;
}

int batch_add(const struct sql_conn *conn, const struct uuid *agent, uint64_t sequence,
              int64_t now_ms, const struct stored_response *response, struct err *err)
{
    const struct sql_value values[] = {
        sql_uuid(agent),
        sql_i64(counter_to_db(sequence)),
        sql_time(now_ms),
        sql_i64((int64_t)response->accepted),
        sql_i64((int64_t)response->duplicate),
        sql_i64((int64_t)response->refused),
        sql_text(span_of(response->refusals)),
    };
    return sql_run(conn, "INSERT INTO batches VALUES ($1, $2, $3, $4, $5, $6, $7)",
                   values, COUNT_OF(values), NULL, NULL, err);
}

/* ---- servers ---- */

int server_find(const struct sql_conn *conn, struct span server, int32_t *ret,
                struct err *err)
{
    const struct sql_value name = sql_text(server);
    int64_t number = -1;
    int rc = sql_number(conn,
                        "INSERT INTO servers (name) VALUES ($1) ON CONFLICT (name) "
                        "DO UPDATE SET name = excluded.name RETURNING server",
                        &name, 1, &number, err);
    if (rc < 0)
        return rc;
    if (number < 0)
        return err_set(err, EIO, "records: server '" SPAN_FMT "' got no number",
                       SPAN_ARG(server));
    *ret = (int32_t)number;
    return 0;
}

/* ---- namespaces ---- */

struct uuid_read {
    struct uuid uuid;
    bool has_row;
};

static int uuid_row(void *arg, const struct sql_row *row)
{
    struct uuid_read *read = arg;
    read->has_row = true;
    return sql_row_uuid(row, 0, &read->uuid);
}

/* An identifier without a format has the empty one. */
static struct sql_value format_value(struct span format)
{
    return sql_text(format.data ? format : SPAN(""));
}

int namespace_find(const struct sql_conn *conn, struct span fs, struct span format,
                   bool *ret_found, struct uuid *ret, struct err *err)
{
    struct uuid_read read = { 0 };
    const struct sql_value key[] = { sql_text(fs), format_value(format) };
    int rc =
        sql_run(conn, "SELECT namespace FROM namespaces WHERE fs = $1 AND format = $2",
                key, COUNT_OF(key), uuid_row, &read, err);
    if (rc < 0)
        return rc;
    *ret_found = read.has_row;
    if (read.has_row)
        *ret = read.uuid;
    return 0;
}

static int namespace_insert(const struct sql_conn *conn, const char *sql,
                            struct span fs, struct span format, const struct uuid *ns,
                            struct err *err)
{
    const struct sql_value row[] = { sql_text(fs), format_value(format), sql_uuid(ns) };
    return sql_run(conn, sql, row, COUNT_OF(row), NULL, NULL, err);
}

#define NAMESPACE_INSERT                                                              \
    "INSERT INTO namespaces (fs, format, namespace) VALUES ($1, $2, $3) ON CONFLICT " \
    "(fs, format) "

int namespace_add(const struct sql_conn *conn, struct span fs, struct span format,
                  const struct uuid *ns, struct err *err)
{
    return namespace_insert(conn, NAMESPACE_INSERT "DO NOTHING", fs, format, ns, err);
}

int namespace_set(const struct sql_conn *conn, struct span fs, struct span format,
                  const struct uuid *ns, struct err *err)
{
    return namespace_insert(
        conn, NAMESPACE_INSERT "DO UPDATE SET namespace = excluded.namespace", fs,
        format, ns, err);
}

struct names_read {
    namespace_name_fn *fn;
    void *arg;
};

static int name_row(void *arg, const struct sql_row *row)
{
    const struct names_read *read = arg;
    return read->fn(read->arg, sql_row_text(row, 0));
}

int namespace_names(const struct sql_conn *conn, const struct uuid *ns, struct span fs,
                    namespace_name_fn *fn, void *arg, struct err *err)
{
    struct names_read read = { .fn = fn, .arg = arg };
    const struct sql_value values[] = { sql_uuid(ns), sql_text(fs) };
    int rc = sql_run(conn,
                     "INSERT INTO namespace_names VALUES ($1, $2) "
                     "ON CONFLICT DO NOTHING",
                     values, COUNT_OF(values), NULL, NULL, err);
    if (rc < 0)
        return rc;
    return sql_run(conn,
                   "SELECT fs FROM namespace_names WHERE namespace = $1 AND fs <> $2",
                   values, COUNT_OF(values), name_row, &read, err);
}

struct namespaces_read {
    namespace_each_fn *fn;
    void *arg;
};

static int namespace_row(void *arg, const struct sql_row *row)
{
    const struct namespaces_read *read = arg;
    struct uuid ns;
    int rc = sql_row_uuid(row, 0, &ns);
    return rc < 0 ? rc : read->fn(read->arg, &ns);
}

int namespace_each(const struct sql_conn *conn, namespace_each_fn *fn, void *arg,
                   struct err *err)
{
    struct namespaces_read read = { .fn = fn, .arg = arg };
    return sql_run(conn, "SELECT namespace FROM namespaces", NULL, 0, namespace_row,
                   &read, err);
}
