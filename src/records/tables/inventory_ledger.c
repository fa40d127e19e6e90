/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_ledger - parts of nodes as rows of two ledgers. */
#include "records/tables/inventory_ledger.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <stddef.h>

/* A column and the field of the struct that it has. */
struct column_field {
    size_t offset;
    bool is_text, is_key;
};

/* ---- places ---- */

enum stay_column {
    STAY_CLUSTER,
    STAY_PART,
    STAY_POSITION, /* "HOST SLOT" */
    STAY_START,
    STAY_END, /* last seen: what is old was seen last long ago */
    STAY_HOST,
    STAY_SLOT,
    STAY_GONE,
    STAY_GONE_WHY,
    STAY_CLASS,
    STAY_VENDOR,
    STAY_MODEL,
    STAY_SERIAL,
    STAY_FIRMWARE,
    STAY_LABEL,
    STAY_SIZE,
    STAY_CORRECTED,
    STAY_UNCORRECTED,
    STAY_CORRECTED_SEEN,
    STAY_UNCORRECTED_SEEN,
    STAY_BOOT,
    STAY_DUPLICATE,
    STAY_STORED,
    STAY_COLUMN_COUNT,
};

static const struct scalar_column stay_columns[STAY_COLUMN_COUNT] = {
    [STAY_CLUSTER] = { "cluster", SCALAR_TEXT },
    [STAY_PART] = { "part", SCALAR_TEXT },
    [STAY_POSITION] = { "position", SCALAR_TEXT },
    [STAY_START] = { "start_ns", SCALAR_I64 },
    [STAY_END] = { "end_ns", SCALAR_I64 },
    [STAY_HOST] = { "host", SCALAR_TEXT },
    [STAY_SLOT] = { "slot", SCALAR_TEXT },
    [STAY_GONE] = { "gone_ns", SCALAR_I64 },
    [STAY_GONE_WHY] = { "gone_why", SCALAR_TEXT },
    [STAY_CLASS] = { "class", SCALAR_TEXT },
    [STAY_VENDOR] = { "vendor", SCALAR_TEXT },
    [STAY_MODEL] = { "model", SCALAR_TEXT },
    [STAY_SERIAL] = { "serial", SCALAR_TEXT },
    [STAY_FIRMWARE] = { "firmware", SCALAR_TEXT },
    [STAY_LABEL] = { "label", SCALAR_TEXT },
    [STAY_SIZE] = { "size_bytes", SCALAR_I64 },
    [STAY_CORRECTED] = { "corrected", SCALAR_I64 },
    [STAY_UNCORRECTED] = { "uncorrected", SCALAR_I64 },
    [STAY_CORRECTED_SEEN] = { "corrected_seen", SCALAR_I64 },
    [STAY_UNCORRECTED_SEEN] = { "uncorrected_seen", SCALAR_I64 },
    [STAY_BOOT] = { "boot_ns", SCALAR_I64 },
    [STAY_DUPLICATE] = { "is_duplicate", SCALAR_I64 },
    [STAY_STORED] = { "told_ms", SCALAR_I64 },
};

const struct ledger ledger_part_stays = {
    .table = "part_stays",
    .columns = stay_columns,
    .column_count = STAY_COLUMN_COUNT,
    .key_count = 4,
    .indices = "CREATE INDEX part_stays_host ON part_stays (cluster, host);"
               "CREATE INDEX part_stays_serial ON part_stays (serial);"
               "CREATE INDEX part_stays_end ON part_stays (" LEDGER_END ");",
};

#define STAY_TEXT(field)                               \
    {                                                  \
        offsetof(struct part_stay, field), true, false \
    }
#define STAY_NUMBER(field)                              \
    {                                                   \
        offsetof(struct part_stay, field), false, false \
    }

static const struct column_field stay_fields[STAY_COLUMN_COUNT] = {
    [STAY_CLUSTER] = { offsetof(struct part_stay, cluster), true, true },
    [STAY_PART] = { offsetof(struct part_stay, part), true, true },
    [STAY_START] = { offsetof(struct part_stay, first_ns), false, true },
    [STAY_END] = STAY_NUMBER(last_ns),
    [STAY_HOST] = STAY_TEXT(host),
    [STAY_SLOT] = STAY_TEXT(slot),
    [STAY_GONE] = STAY_NUMBER(gone_ns),
    [STAY_GONE_WHY] = STAY_TEXT(gone_why),
    [STAY_CLASS] = STAY_TEXT(class_name),
    [STAY_VENDOR] = STAY_TEXT(vendor),
    [STAY_MODEL] = STAY_TEXT(model),
    [STAY_SERIAL] = STAY_TEXT(serial),
    [STAY_FIRMWARE] = STAY_TEXT(firmware),
    [STAY_LABEL] = STAY_TEXT(label),
    [STAY_SIZE] = STAY_NUMBER(size_bytes),
    [STAY_CORRECTED] = STAY_NUMBER(corrected),
    [STAY_UNCORRECTED] = STAY_NUMBER(uncorrected),
    [STAY_CORRECTED_SEEN] = STAY_NUMBER(corrected_seen),
    [STAY_UNCORRECTED_SEEN] = STAY_NUMBER(uncorrected_seen),
    [STAY_BOOT] = STAY_NUMBER(boot_ns),
};

/* ---- changes ---- */

enum change_column {
    CHANGE_CLUSTER,
    CHANGE_PART,
    CHANGE_ITEM, /* "CHANGE HOST SLOT" */
    CHANGE_START,
    CHANGE_END, /* the same: every ledger has it */
    CHANGE_HOST,
    CHANGE_SLOT,
    CHANGE_CHANGE,
    CHANGE_CLASS,
    CHANGE_MODEL,
    CHANGE_SERIAL,
    CHANGE_BEFORE,
    CHANGE_AFTER,
    CHANGE_STORED,
    CHANGE_COLUMN_COUNT,
};

static const struct scalar_column change_columns[CHANGE_COLUMN_COUNT] = {
    [CHANGE_CLUSTER] = { "cluster", SCALAR_TEXT },
    [CHANGE_PART] = { "part", SCALAR_TEXT },
    [CHANGE_ITEM] = { "item", SCALAR_TEXT },
    [CHANGE_START] = { "start_ns", SCALAR_I64 },
    [CHANGE_END] = { "end_ns", SCALAR_I64 },
    [CHANGE_HOST] = { "host", SCALAR_TEXT },
    [CHANGE_SLOT] = { "slot", SCALAR_TEXT },
    [CHANGE_CHANGE] = { "change", SCALAR_TEXT },
    [CHANGE_CLASS] = { "class", SCALAR_TEXT },
    [CHANGE_MODEL] = { "model", SCALAR_TEXT },
    [CHANGE_SERIAL] = { "serial", SCALAR_TEXT },
    [CHANGE_BEFORE] = { "before", SCALAR_TEXT },
    [CHANGE_AFTER] = { "after", SCALAR_TEXT },
    [CHANGE_STORED] = { "told_ms", SCALAR_I64 },
};

/* The first write of a key stays. */
static const struct scalar *part_change_unite(const struct scalar *stored,
                                              const struct scalar *submitted,
                                              struct arena *arena)
{
    (void)submitted, (void)arena;
    return stored;
}

const struct ledger ledger_part_changes = {
    .table = "part_changes",
    .columns = change_columns,
    .column_count = CHANGE_COLUMN_COUNT,
    .key_count = 4,
    .unite = part_change_unite,
    .indices = "CREATE INDEX part_changes_time ON part_changes (start_ns);"
               "CREATE INDEX part_changes_end ON part_changes (" LEDGER_END ");",
};

#define CHANGE_TEXT(field)                               \
    {                                                    \
        offsetof(struct part_change, field), true, false \
    }

static const struct column_field change_fields[CHANGE_COLUMN_COUNT] = {
    [CHANGE_CLUSTER] = { offsetof(struct part_change, cluster), true, true },
    [CHANGE_PART] = { offsetof(struct part_change, part), true, true },
    [CHANGE_START] = { offsetof(struct part_change, t_ns), false, true },
    [CHANGE_END] = { offsetof(struct part_change, t_ns), false, false },
    [CHANGE_HOST] = CHANGE_TEXT(host),
    [CHANGE_SLOT] = CHANGE_TEXT(slot),
    [CHANGE_CHANGE] = CHANGE_TEXT(change),
    [CHANGE_CLASS] = CHANGE_TEXT(class_name),
    [CHANGE_MODEL] = CHANGE_TEXT(model),
    [CHANGE_SERIAL] = CHANGE_TEXT(serial),
    [CHANGE_BEFORE] = CHANGE_TEXT(before),
    [CHANGE_AFTER] = CHANGE_TEXT(after),
};

/* ---- fields and columns ---- */

static bool is_field(const struct column_field *field)
{
    return field->is_key || field->is_text || field->offset > 0;
}

/* A key's texts are never missing; of others an empty one is. */
static void fields_to_row(const void *from, const struct column_field *fields,
                          size_t count, struct scalar *row)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)from + fields[i].offset;
        struct span text;
        int64_t number;
        if (!is_field(&fields[i]))
            continue;
        if (fields[i].is_text) {
            memcpy(&text, at, sizeof text);
            if (text.size > 0 || fields[i].is_key)
                row[i] = scalar_text(text.data ? text : SPAN(""));
        } else {
            memcpy(&number, at, sizeof number);
            row[i] = scalar_i64(number);
        }
    }
}

static void fields_of_row(const struct scalar *row, const struct column_field *fields,
                          size_t count, void *to)
{
    for (size_t i = 0; i < count; i++) {
        char *at = (char *)to + fields[i].offset;
        struct span text = row[i].is_present ? row[i].text : SPAN("");
        int64_t number = row[i].is_present ? row[i].i64 : 0;
        if (!is_field(&fields[i]))
            continue;
        if (fields[i].is_text)
            memcpy(at, &text, sizeof text);
        else
            memcpy(at, &number, sizeof number);
    }
}

static struct span join_texts(struct arena *arena, const struct span *texts,
                              size_t count)
{
    size_t size = count;
    for (size_t i = 0; i < count; i++)
        size += texts[i].size;
    char *joined = arena_alloc(arena, size), *at = joined;
    for (size_t i = 0; joined && i < count; i++) {
        if (i > 0)
            *at++ = ' ';
        memcpy(at, texts[i].data, texts[i].size);
        at += texts[i].size;
    }
    return (struct span){ joined, joined ? (size_t)(at - joined) : 0 };
}

const struct scalar *part_stay_row(const struct part_stay *stay, int64_t now_ms,
                                   struct arena *arena)
{
    const struct span texts[] = { stay->host, stay->slot };
    struct scalar *row = arena_alloc(arena, STAY_COLUMN_COUNT * sizeof *row);
    struct span joined = join_texts(arena, texts, COUNT_OF(texts));
    if (!row || !joined.data)
        return NULL;
    fields_to_row(stay, stay_fields, STAY_COLUMN_COUNT, row);
    row[STAY_POSITION] = scalar_text(joined);
    if (stay->gone_ns == 0)
        row[STAY_GONE] = (struct scalar){ 0 };
    row[STAY_DUPLICATE] = scalar_i64(stay->is_duplicate);
    row[STAY_STORED] = scalar_i64(now_ms);
    return row;
}

const struct scalar *part_change_row(const struct part_change *change, int64_t now_ms,
                                     struct arena *arena)
{
    const struct span texts[] = { change->change, change->host, change->slot };
    struct scalar *row = arena_alloc(arena, CHANGE_COLUMN_COUNT * sizeof *row);
    struct span joined = join_texts(arena, texts, COUNT_OF(texts));
    if (!row || !joined.data)
        return NULL;
    fields_to_row(change, change_fields, CHANGE_COLUMN_COUNT, row);
    row[CHANGE_ITEM] = scalar_text(joined);
    row[CHANGE_STORED] = scalar_i64(now_ms);
    return row;
}

void part_stay_of_row(const struct scalar *row, struct part_stay *ret)
{
    *ret = (struct part_stay){ 0 };
    fields_of_row(row, stay_fields, STAY_COLUMN_COUNT, ret);
    ret->is_duplicate = row[STAY_DUPLICATE].is_present && row[STAY_DUPLICATE].i64 != 0;
}

void part_change_of_row(const struct scalar *row, struct part_change *ret)
{
    *ret = (struct part_change){ 0 };
    fields_of_row(row, change_fields, CHANGE_COLUMN_COUNT, ret);
}
