/* SPDX-License-Identifier: Apache-2.0 */
/* id_name_ledger - names of users and groups as rows of a ledger. */
#include "records/tables/id_name_ledger.h"

#include "base/span.h"

enum column {
    COLUMN_KIND,
    COLUMN_NUMBER,
    COLUMN_NAME,
    COLUMN_CLUSTER,
    COLUMN_START, /* first seen */
    COLUMN_END,   /* last seen */
    COLUMN_STORED,
    COLUMN_COUNT,
};

static const struct scalar_column columns[COLUMN_COUNT] = {
    [COLUMN_KIND] = { "kind", SCALAR_TEXT },
    [COLUMN_NUMBER] = { "number", SCALAR_TEXT },
    [COLUMN_NAME] = { "name", SCALAR_TEXT },
    [COLUMN_CLUSTER] = { "cluster", SCALAR_TEXT },
    [COLUMN_START] = { "start_ns", SCALAR_I64 },
    [COLUMN_END] = { "end_ns", SCALAR_I64 },
    [COLUMN_STORED] = { "told_ms", SCALAR_I64 },
};

static const struct scalar *unite(const struct scalar *stored,
                                  const struct scalar *submitted, struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    memcpy(row, submitted, COLUMN_COUNT * sizeof *row);
    if (stored[COLUMN_START].i64 < row[COLUMN_START].i64)
        row[COLUMN_START] = stored[COLUMN_START];
    if (stored[COLUMN_END].i64 > row[COLUMN_END].i64)
        row[COLUMN_END] = stored[COLUMN_END];
    return row;
}

const struct ledger ledger_id_names = {
    .table = "id_names",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .key_count = 4,
    .unite = unite,
    .indices = "CREATE INDEX id_names_name ON id_names (kind, name);"
               "CREATE INDEX id_names_end ON id_names (" LEDGER_END ");",
};

const struct scalar *id_name_ledger_row(const struct id_name *name, int64_t now_ms,
                                        struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    row[COLUMN_KIND] = scalar_text(span_of(id_kind_name(name->kind)));
    row[COLUMN_NUMBER] = scalar_text(name->number);
    row[COLUMN_NAME] = scalar_text(name->name);
    row[COLUMN_CLUSTER] = scalar_text(name->cluster.data ? name->cluster : SPAN(""));
    row[COLUMN_START] = scalar_i64(name->first_ns);
    row[COLUMN_END] = scalar_i64(name->last_ns);
    row[COLUMN_STORED] = scalar_i64(now_ms);
    return row;
}

int id_name_ledger_name(const struct scalar *row, struct id_name *ret)
{
    for (int kind = 0; kind < ID_KIND_COUNT; kind++) {
        if (!span_is(row[COLUMN_KIND].text, id_kind_name((enum id_kind)kind)))
            continue;
        *ret = (struct id_name){ .kind = (enum id_kind)kind,
                                 .cluster = row[COLUMN_CLUSTER].text,
                                 .number = row[COLUMN_NUMBER].text,
                                 .name = row[COLUMN_NAME].text,
                                 .first_ns = row[COLUMN_START].i64,
                                 .last_ns = row[COLUMN_END].i64 };
        return 0;
    }
    return -EBADMSG;
}
