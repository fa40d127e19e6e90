/* SPDX-License-Identifier: Apache-2.0 */
/* resource_ledger - statements about resources as rows of two ledgers. */
#include "records/tables/resource_ledger.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>

/* Both have the same columns; in the history the time is a part of the key. */
enum column {
    COLUMN_COMPONENT,
    COLUMN_SOURCE,
    COLUMN_START,
    COLUMN_END, /* the same: every ledger has it */
    COLUMN_HEALTH,
    COLUMN_REASON,
    COLUMN_BY,
    COLUMN_STORED,
    COLUMN_COUNT,
};

static const struct scalar_column columns[COLUMN_COUNT] = {
    [COLUMN_COMPONENT] = { "component", SCALAR_TEXT },
    [COLUMN_SOURCE] = { "source", SCALAR_TEXT },
    [COLUMN_START] = { "start_ns", SCALAR_I64 },
    [COLUMN_END] = { "end_ns", SCALAR_I64 },
    [COLUMN_HEALTH] = { "health", SCALAR_TEXT },
    [COLUMN_REASON] = { "reason", SCALAR_TEXT },
    [COLUMN_BY] = { "by_whom", SCALAR_TEXT },
    [COLUMN_STORED] = { "told_ms", SCALAR_I64 },
};

/* The same health is known since before. */
static const struct scalar *stored_before(const struct scalar *stored,
                                          const struct scalar *submitted,
                                          struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    memcpy(row, submitted, COLUMN_COUNT * sizeof *row);
    row[COLUMN_STORED] = stored[COLUMN_STORED];
    return row;
}

/* What is stored and cannot be read gives way. */
static const struct scalar *statement_unite(const struct scalar *stored,
                                            const struct scalar *submitted,
                                            struct arena *arena)
{
    struct resource_statement old, new;
    if (resource_ledger_statement(stored, &old) < 0 ||
        resource_ledger_statement(submitted, &new) < 0)
        return submitted;
    if (resource_statement_holds(&old, &new))
        return stored;
    return old.health == new.health ? stored_before(stored, submitted, arena)
                                    : submitted;
}

const struct ledger ledger_resource_statements = {
    .table = "resource_statements",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .key_count = 2,
    .unite = statement_unite,
    .indices = "",
};

/* The first write of a key stays. */
static const struct scalar *change_unite(const struct scalar *stored,
                                         const struct scalar *submitted,
                                         struct arena *arena)
{
    (void)submitted, (void)arena;
    return stored;
}

const struct ledger ledger_resource_changes = {
    .table = "resource_changes",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .key_count = 3,
    .unite = change_unite,
    .indices =
        "CREATE INDEX resource_changes_time ON resource_changes (start_ns);"
        "CREATE INDEX resource_changes_end ON resource_changes (" LEDGER_END ");",
};

static struct scalar text_or_missing(struct span text)
{
    return text.size > 0 ? scalar_text(text) : (struct scalar){ 0 };
}

const struct scalar *resource_ledger_row(const struct resource_statement *statement,
                                         int64_t now_ms, struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    row[COLUMN_COMPONENT] = scalar_text(statement->component);
    row[COLUMN_SOURCE] = scalar_text(statement->source);
    row[COLUMN_START] = scalar_i64(statement->t_ns);
    row[COLUMN_END] = scalar_i64(statement->t_ns);
    row[COLUMN_HEALTH] = scalar_text(span_of(resource_health_name(statement->health)));
    row[COLUMN_REASON] = text_or_missing(statement->reason);
    row[COLUMN_BY] = text_or_missing(statement->by);
    row[COLUMN_STORED] = scalar_i64(now_ms);
    return row;
}

static struct span text_of_cell(const struct scalar *cell)
{
    return cell->is_present ? cell->text : SPAN("");
}

int resource_ledger_statement(const struct scalar *row, struct resource_statement *ret)
{
    struct resource_statement statement = {
        .component = row[COLUMN_COMPONENT].text,
        .source = row[COLUMN_SOURCE].text,
        .by = text_of_cell(&row[COLUMN_BY]),
        .reason = text_of_cell(&row[COLUMN_REASON]),
        .t_ns = row[COLUMN_START].i64,
    };
    int64_t stored_ms = row[COLUMN_STORED].i64;
    if (row[COLUMN_STORED].is_present && stored_ms > 0 &&
        stored_ms < INT64_MAX / NS_PER_MS)
        statement.stored_ns = stored_ms * NS_PER_MS;
    if (!row[COLUMN_START].is_present ||
        resource_health_parse(text_of_cell(&row[COLUMN_HEALTH]), &statement.health) < 0)
        return -EINVAL;
    *ret = statement;
    return 0;
}
