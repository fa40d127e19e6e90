/* SPDX-License-Identifier: Apache-2.0 */
/* server_names - the names of servers by their numbers, as a reader remembers them. */
#include "records/engine/server_names.h"

#include "base/span.h"

#define SERVERS_SQL "SELECT server, name FROM servers ORDER BY server"

void server_names_init(struct server_names *names)
{
    *names = (struct server_names){ 0 };
    arena_init(&names->arena, 0);
}

void server_names_done(struct server_names *names)
{
    arena_done(&names->arena);
}

struct servers_reading {
    struct server_names *names;
    size_t count;
    bool is_same;
};

static int row_compare(void *arg, const struct sql_row *row)
{
    struct servers_reading *read = arg;
    const struct server_names *names = read->names;
    const size_t i = read->count++;
    read->is_same = read->is_same && i < names->count &&
                    names->names[i].server == sql_row_i64(row, 0) &&
                    span_eq(names->names[i].name, sql_row_text(row, 1));
    return 0;
}

static int row_add(void *arg, const struct sql_row *row)
{
    struct servers_reading *read = arg;
    struct server_names *names = read->names;
    struct span name = sql_row_text(row, 1);
    if (names->count == read->count)
        return 0; /* more came meanwhile: no row of this reading has them */
    char *copy = arena_dup(&names->arena, name);
    if (!copy)
        return -ENOMEM;
    names->names[names->count++] = (struct server_name){ .server = sql_row_i64(row, 0),
                                                         .name = { copy, name.size } };
    return 0;
}

int server_names_load(struct server_names *names, const struct sql_conn *conn,
                      struct err *err)
{
    struct servers_reading read = { .names = names, .is_same = true };
    int rc = sql_run(conn, SERVERS_SQL, NULL, 0, row_compare, &read, err);
    if (rc < 0 || (read.is_same && read.count == names->count))
        return rc;
    names->count = 0;
    arena_reset(&names->arena);
    names->names = arena_alloc(&names->arena, read.count * sizeof *names->names + 1);
    if (!names->names)
        return -ENOMEM;
    return sql_run(conn, SERVERS_SQL, NULL, 0, row_add, &read, err);
}

struct span server_names_find(const struct server_names *names, int64_t server)
{
    for (size_t i = 0; server && i < names->count; i++)
        if (names->names[i].server == server)
            return names->names[i].name;
    return (struct span){ 0 };
}
