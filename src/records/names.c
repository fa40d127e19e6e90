/* SPDX-License-Identifier: Apache-2.0 */
/* names - the servers and namespaces that the database was seen to hold. */
#include "records/names.h"

#include "base/span.h"

void names_forget(struct records *records)
{
    records->server_count = 0;
    records->namespace_count = 0;
    arena_reset(&records->names);
}

static struct span name_store(struct records *records, struct span name)
{
    const char *copy = name.data ? arena_dup(&records->names, name) : NULL;
    return (struct span){ copy, copy ? name.size : 0 };
}

/* The stored one; where there is none, one is drawn and stored first. */
static int namespace_draw(const struct sql_conn *conn, struct span fs,
                          struct span format, struct uuid *ret, struct err *err)
{
    bool found = false;
    int rc = namespace_find(conn, fs, format, &found, ret, err);
    if (rc < 0 || found)
        return rc;
    struct uuid drawn;
    rc = uuid_new(&drawn);
    if (rc == 0)
        rc = namespace_add(conn, fs, format, &drawn, err);
    if (rc == 0)
        rc = namespace_find(conn, fs, format, &found, ret, err);
    if (rc == 0 && !found)
        rc = err_set(err, EIO, "records: a namespace was stored and is not there");
    return rc;
}

struct others_read {
    struct records *records;
    struct fs_name *first;
};

static int other_name_store(void *arg, struct span name)
{
    struct others_read *read = arg;
    struct fs_name *other = arena_alloc(&read->records->names, sizeof *other);
    if (!other)
        return -ENOMEM;
    other->name = name_store(read->records, name);
    other->next = read->first;
    read->first = other;
    return other->name.data ? 0 : -ENOMEM;
}

int names_namespace(struct records *records, struct span fs, struct span format,
                    struct namespace_known *ret, struct err *err)
{
    for (size_t i = 0; i < records->namespace_count; i++) {
        const struct namespace_known *known = &records->namespaces[i];
        if (span_eq(known->fs, fs) && span_eq(known->format, format)) {
            *ret = *known;
            return 0;
        }
    }
    struct namespace_known known = { .fs = name_store(records, fs),
                                     .format = name_store(records, format) };
    struct others_read others = { .records = records };
    struct sql_conn conn;
    int rc = records->engine->writer_sql(records->backend, &conn, err);
    if (rc == 0 && !site_namespace(records->site, fs, format, &known.ns))
        rc = namespace_draw(&conn, fs, format, &known.ns, err);
    if (rc == 0)
        rc = namespace_names(&conn, &known.ns, fs, other_name_store, &others, err);
    if (rc < 0)
        return rc;
    known.others = others.first;
    if (records->namespace_count < NAMES_MAX && known.fs.size == fs.size &&
        known.format.size == format.size)
        records->namespaces[records->namespace_count++] = known;
    *ret = known;
    return 0;
}

int names_server(struct records *records, struct span server, int32_t *ret,
                 struct err *err)
{
    if (server.size == 0) {
        *ret = 0;
        return 0;
    }
    for (size_t i = records->server_count; i > 0; i--)
        if (span_eq(records->servers[i - 1].name, server)) {
            *ret = records->servers[i - 1].server_id;
            return 0;
        }
    struct sql_conn conn;
    int rc = records->engine->writer_sql(records->backend, &conn, err);
    if (rc == 0)
        rc = server_find(&conn, server, ret, err);
    if (rc == 0 && records->server_count < NAMES_MAX)
        records->servers[records->server_count++] =
            (struct server_known){ .name = name_store(records, server),
                                   .server_id = *ret };
    return rc;
}

int names_note_configured(struct records *records, struct err *err)
{
    size_t cursor = 0;
    struct span fs, format;
    struct uuid ns;
    struct sql_conn conn;
    int rc = records->engine->writer_sql(records->backend, &conn, err);
    while (rc == 0 && site_next_namespace(records->site, &cursor, &fs, &format, &ns)) {
        struct uuid stored;
        bool found = false;
        rc = namespace_find(&conn, fs, format, &found, &stored, err);
        if (rc < 0 || (found && memcmp(&stored, &ns, sizeof ns) == 0))
            continue;
        rc = namespace_set(&conn, fs, format, &ns, err);
        if (rc == -EEXIST) {
            char text[UUID_TEXT_SIZE];
            uuid_print(text, &ns);
            return err_set(err, EINVAL,
                           "filesystem " SPAN_FMT ": namespace %s belongs to another "
                           "file system or format in the records; draw a new one",
                           SPAN_ARG(fs), text);
        }
    }
    return rc;
}
