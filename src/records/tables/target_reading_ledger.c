/* SPDX-License-Identifier: Apache-2.0 */
/* target_reading_ledger - readings of targets as rows of a ledger. */
#include "records/tables/target_reading_ledger.h"

#include "base/span.h"

enum column {
    COLUMN_CLUSTER,
    COLUMN_TARGET,
    COLUMN_START, /* when it was read */
    COLUMN_SOURCE,
    COLUMN_END, /* the same: every ledger has it */
    COLUMN_FS,
    COLUMN_MOUNT,
    COLUMN_TOTAL,
    COLUMN_USED,
    COLUMN_AVAILABLE,
    COLUMN_SERVER,
    COLUMN_ACTIVE, /* 0: inactive; missing: not known */
    COLUMN_STORED,
    COLUMN_COUNT,
};

static const struct scalar_column columns[COLUMN_COUNT] = {
    [COLUMN_CLUSTER] = { "cluster", SCALAR_TEXT },
    [COLUMN_TARGET] = { "target", SCALAR_TEXT },
    [COLUMN_START] = { "start_ns", SCALAR_I64 },
    [COLUMN_SOURCE] = { "source", SCALAR_TEXT },
    [COLUMN_END] = { "end_ns", SCALAR_I64 },
    [COLUMN_FS] = { "fs", SCALAR_TEXT },
    [COLUMN_MOUNT] = { "mount", SCALAR_TEXT },
    [COLUMN_TOTAL] = { "total_kib", SCALAR_I64 },
    [COLUMN_USED] = { "used_kib", SCALAR_I64 },
    [COLUMN_AVAILABLE] = { "available_kib", SCALAR_I64 },
    [COLUMN_SERVER] = { "server", SCALAR_TEXT },
    [COLUMN_ACTIVE] = { "active", SCALAR_I64 },
    [COLUMN_STORED] = { "told_ms", SCALAR_I64 },
};

static const struct scalar *readings_unite(const struct scalar *stored,
                                           const struct scalar *submitted,
                                           struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    memcpy(row, stored, COLUMN_COUNT * sizeof *row);
    for (size_t i = COLUMN_FS; i < COLUMN_STORED; i++)
        if (!row[i].is_present)
            row[i] = submitted[i];
    row[COLUMN_STORED] = submitted[COLUMN_STORED];
    return row;
}

const struct ledger ledger_target_readings = {
    .table = "target_readings",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .key_count = 4,
    .unite = readings_unite,
    .indices = "CREATE INDEX target_readings_fs ON target_readings (fs, start_ns);"
               "CREATE INDEX target_readings_end ON target_readings (" LEDGER_END ");",
};

static struct scalar text_of(struct span text)
{
    return text.size > 0 ? scalar_text(text) : (struct scalar){ 0 };
}

static struct scalar key_of(struct span text)
{
    return scalar_text(text.data ? text : SPAN(""));
}

const struct scalar *target_reading_ledger_row(const struct target_reading *reading,
                                               int64_t now_ms, struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    const struct scalar none = { 0 };
    bool has_space = reading->has_space;
    row[COLUMN_CLUSTER] = key_of(reading->cluster);
    row[COLUMN_TARGET] = key_of(reading->target);
    row[COLUMN_START] = scalar_i64(reading->t_ns);
    row[COLUMN_SOURCE] = key_of(reading->source);
    row[COLUMN_END] = scalar_i64(reading->t_ns);
    row[COLUMN_FS] = scalar_text(target_reading_fs(reading));
    row[COLUMN_MOUNT] = text_of(reading->mount);
    row[COLUMN_TOTAL] = has_space ? scalar_i64(reading->total_kib) : none;
    row[COLUMN_USED] = has_space ? scalar_i64(reading->used_kib) : none;
    row[COLUMN_AVAILABLE] = has_space ? scalar_i64(reading->available_kib) : none;
    row[COLUMN_SERVER] = text_of(reading->server);
    row[COLUMN_ACTIVE] = reading->is_inactive       ? scalar_i64(0)
                         : reading->server.size > 0 ? scalar_i64(1)
                                                    : none;
    row[COLUMN_STORED] = scalar_i64(now_ms);
    return row;
}

static struct span span_or_empty(const struct scalar *scalar)
{
    return scalar->is_present ? scalar->text : SPAN("");
}

void target_reading_ledger_reading(const struct scalar *row, struct target_reading *ret)
{
    bool has_space = row[COLUMN_TOTAL].is_present && row[COLUMN_USED].is_present &&
                     row[COLUMN_AVAILABLE].is_present;
    *ret = (struct target_reading){
        .cluster = row[COLUMN_CLUSTER].text,
        .target = row[COLUMN_TARGET].text,
        .t_ns = row[COLUMN_START].i64,
        .mount = span_or_empty(&row[COLUMN_MOUNT]),
        .has_space = has_space,
        .total_kib = has_space ? row[COLUMN_TOTAL].i64 : 0,
        .used_kib = has_space ? row[COLUMN_USED].i64 : 0,
        .available_kib = has_space ? row[COLUMN_AVAILABLE].i64 : 0,
        .server = span_or_empty(&row[COLUMN_SERVER]),
        .is_inactive = row[COLUMN_ACTIVE].is_present && row[COLUMN_ACTIVE].i64 == 0,
        .source = row[COLUMN_SOURCE].text,
    };
}
