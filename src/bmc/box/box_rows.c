/* SPDX-License-Identifier: Apache-2.0 */
/* box_rows - the rows of one table of a storage box, and what they report. */
#include "bmc/box/box_rows.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#include <xxhash.h>

void box_rows_clear(struct box_rows *rows)
{
    rows->count = rows->last = 0;
    rows->lost = 0;
}

static bool is_index(const struct box_row *row, struct span index)
{
    return strlen(row->index) == index.size &&
           memcmp(row->index, index.data, index.size) == 0;
}

/* Columns come in one order: it is mostly the row behind the one before. */
static struct box_row *box_row_find(struct box_rows *rows, struct span index)
{
    for (size_t i = 0; i < rows->count; i++) {
        size_t at = (rows->last + i) % rows->count;
        if (!is_index(&rows->row[at], index))
            continue;
        rows->last = at;
        return &rows->row[at];
    }
    return NULL;
}

static struct box_row *box_row_add(struct box_rows *rows, struct span index)
{
    struct box_row *row = &rows->row[rows->count];
    if (rows->count == BOX_ROWS_MAX)
        return NULL;
    memset(row, 0, sizeof *row);
    memcpy(row->index, index.data, index.size);
    rows->last = rows->count++;
    return row;
}

static void cell_set(char out[static BOX_CELL_BYTES], struct span text)
{
    size_t used = 0;
    while (text.size > 0) {
        uint32_t code;
        size_t size = utf8_decode(text, &code);
        size_t wanted = size > 0 ? size : 1;
        if (used + wanted >= BOX_CELL_BYTES)
            break;
        if (size == 0)
            out[used++] = '?';
        else if (size == 1)
            out[used++] = code < ' ' || code == 0x7F ? ' ' : (char)code;
        else
            for (size_t i = 0; i < size; i++)
                out[used++] = text.data[i];
        text = span_skip(text, wanted);
    }
    while (used > 0 && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
}

/* An index is shown in logs; false: it is none. */
static bool index_clean(struct span index, char out[static BMC_ID_BYTES])
{
    if (index.size == 0 || index.size >= BMC_ID_BYTES)
        return false;
    for (size_t i = 0; i < index.size; i++) {
        unsigned char byte = (unsigned char)index.data[i];
        out[i] = byte < ' ' || byte == 0x7F ? '?' : index.data[i];
    }
    out[index.size] = '\0';
    return true;
}

/* NULL: it has no place. */
static struct box_row *box_row_make(struct box_rows *rows, struct span index)
{
    char clean[BMC_ID_BYTES];
    struct box_row *row = NULL;
    if (index_clean(index, clean)) {
        index = span_of(clean);
        row = box_row_find(rows, index);
        if (!row)
            row = box_row_add(rows, index);
    }
    rows->lost += !row;
    return row;
}

void box_rows_set(struct box_rows *rows, struct span index, enum mapping_column column,
                  struct span text)
{
    struct box_row *row = box_row_make(rows, index);
    if (!row)
        return;
    cell_set(row->cell[column], text);
    row->has[column] = true;
}

void box_rows_set_void(struct box_rows *rows, struct span index)
{
    struct box_row *row = box_row_make(rows, index);
    if (row)
        row->is_void = true;
}

bool box_rows_has(struct box_rows *rows, struct span index)
{
    return box_row_find(rows, index) != NULL;
}

/* ---- what they report ---- */

/* A box with two disks of one name has two disks. */
static bool name_is_shared(const uint64_t *hashes, size_t count, size_t index)
{
    for (size_t i = 0; i < count; i++)
        if (i != index && hashes[i] != 0 && hashes[i] == hashes[index])
            return true;
    return false;
}

static const char *pattern_of(const struct mapping_table *table)
{
    if (table->id[0])
        return table->id;
    return table->column[MAPPING_NAME][0] ? "%n" : "%i";
}

/* A row without a name has its index. */
static void id_print(const struct mapping_table *table, const struct box_row *row,
                     struct strbuf *out)
{
    const char *name = row->cell[MAPPING_NAME];
    for (const char *at = pattern_of(table); *at; at++) {
        if (at[0] == '%' && at[1] == 'n')
            strbuf_adds(out, name[0] ? name : row->index);
        else if (at[0] == '%' && at[1] == 'i')
            strbuf_adds(out, row->index);
        else {
            strbuf_addc(out, *at);
            continue;
        }
        at++;
    }
}

static void health_report(const struct mapping_table *table, const struct box_row *row,
                          const char *id, struct bmc_report *report)
{
    const char *value = row->cell[MAPPING_VALUE], *text = row->cell[MAPPING_TEXT];
    const struct mapping_state *state = mapping_state_of(table, span_of(value));
    enum resource_health health = state ? state->health : RESOURCE_UNKNOWN;
    char reason[BMC_TEXT_BYTES] = "";
    if (!row->has[MAPPING_VALUE]) {
        (void)snprintf(reason, sizeof reason, "%s has no value", table->table);
        bmc_report_part(report, table->class, id, RESOURCE_UNKNOWN, reason);
        return;
    }
    /* What is absent is up: stated, since what was against it before ends by that. */
    if (health != RESOURCE_UP)
        (void)snprintf(reason, sizeof reason, "%s is '%s'%s%s%s", table->table, value,
                       state ? "" : ", for which its mapping has no state",
                       text[0] ? ": " : "", text);
    bmc_report_part(report, table->class, id, health, reason);
}

static void value_report(const struct mapping_table *table, const struct box_row *row,
                         const char *id, struct bmc_report *report)
{
    double value = 0;
    if (number_parse_double(span_of(row->cell[MAPPING_VALUE]), &value) < 0) {
        bmc_report_note(report, "[table %s] %s: '%s' is not a number", table->table, id,
                        row->cell[MAPPING_VALUE]);
        report->lost++;
        return;
    }
    bmc_report_value(report, table->metric, id, value / (double)table->divisor);
}

static bool counts(const struct mapping_table *table, const struct box_row *row)
{
    bool is_named = row->has[MAPPING_NAME] && row->cell[MAPPING_NAME][0];
    if (!row->has[MAPPING_VALUE] && !row->is_void && !is_named)
        return false;
    return !table->column[MAPPING_WHEN][0] ||
           (row->has[MAPPING_WHEN] &&
            span_glob_any(span_of(row->cell[MAPPING_WHEN]), table->when_is));
}

static void row_report(const struct mapping_table *table, const struct box_row *row,
                       bool with_index, struct bmc_report *report)
{
    AUTO(strbuf_done) struct strbuf id = STRBUF_INIT;
    id_print(table, row, &id);
    if (with_index)
        strbuf_addf(&id, " %s", row->index);
    if (strbuf_error(&id) < 0 || id.size >= BMC_ID_BYTES) {
        bmc_report_note(report, "[table %s] row %s: its name is longer than %d bytes",
                        table->table, row->index, BMC_ID_BYTES - 1);
        report->lost++;
        return;
    }
    if (table->class[0])
        health_report(table, row, strbuf_text(&id), report);
    if (table->metric[0] && row->has[MAPPING_VALUE])
        value_report(table, row, strbuf_text(&id), report);
}

void box_rows_report(const struct box_rows *rows, const struct mapping_table *table,
                     struct bmc_report *report)
{
    AUTO_FREE uint64_t *hashes = calloc(rows->count + 1, sizeof *hashes);
    for (size_t i = 0; hashes && i < rows->count; i++) {
        AUTO(strbuf_done) struct strbuf id = STRBUF_INIT;
        if (!counts(table, &rows->row[i]))
            continue; /* 0 */
        id_print(table, &rows->row[i], &id);
        hashes[i] = XXH3_64bits(id.data, id.size);
    }
    bool is_box = strcmp(table->class, MAPPING_CLASS_OF_BOX) == 0;
    for (size_t i = 0; hashes && i < rows->count; i++)
        if (counts(table, &rows->row[i]))
            row_report(table, &rows->row[i],
                       !is_box && name_is_shared(hashes, rows->count, i), report);
    if (rows->lost > 0)
        bmc_report_note(report,
                        "[table %s]: %llu cells have no row: over %d of them, or "
                        "an index that is too long",
                        table->table, (unsigned long long)rows->lost, BOX_ROWS_MAX);
    report->lost += rows->lost;
}
