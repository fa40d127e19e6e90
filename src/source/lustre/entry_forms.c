/* SPDX-License-Identifier: Apache-2.0 */
/* entry_forms - one entry of job_stats as JSON, as rows, and as clients send it. */
#include "source/lustre/entry_forms.h"

#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#define NS_PER_MINUTE (60 * NS_PER_S)

static void json_text_of_id(struct json_writer *w, struct span id)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    entry_id_print(&text, id);
    json_span(w, strbuf_span(&text));
}

static bool hist_next(struct span *hist, struct span *key, uint64_t *count)
{
    struct span pair;
    (void)span_cut(hist, ',', &pair);
    return span_cut(&pair, ':', key) && number_parse_u64(span_trim(pair), count) == 0;
}

/* "32K: 1, 1M: 5" as {"32K":1,"1M":5}; what does not look so stays text. */
static void json_hist(struct json_writer *w, struct span hist)
{
    struct span key = { NULL, 0 };
    uint64_t count = 0;
    for (struct span rest = hist; rest.size > 0;) {
        if (hist_next(&rest, &key, &count))
            continue;
        json_text_of_id(w, hist);
        return;
    }
    json_object(w);
    for (struct span rest = hist; rest.size > 0;) {
        (void)hist_next(&rest, &key, &count);
        json_key_span(w, span_trim(key));
        json_u64(w, count);
    }
    json_object_end(w);
}

/* Numbers of users are JSON numbers, unless they are longer than any. */
static void json_number(struct json_writer *w, struct span text)
{
    uint64_t number;
    if (number_parse_u64(text, &number) < 0)
        json_text_of_id(w, text);
    else
        json_u64(w, number);
}

static void json_value(struct json_writer *w, const struct entry_value *value)
{
    switch (value->kind) {
    case ENTRY_VALUE_NONE:
        json_null(w);
        break;
    case ENTRY_VALUE_BYTES:
        json_text_of_id(w, value->bytes);
        break;
    case ENTRY_VALUE_NUMBER:
        json_number(w, value->bytes);
        break;
    case ENTRY_VALUE_COUNT:
        json_u64(w, value->count);
        break;
    case ENTRY_VALUE_SECONDS:
        json_seconds(w, value->t_ns);
        break;
    case ENTRY_VALUE_FLAGS:
        json_array(w);
        for (size_t i = 0; i < value->flags.count; i++)
            json_text(w, value->flags.names[i]);
        json_array_end(w);
        break;
    case ENTRY_VALUE_HIST:
        json_hist(w, value->bytes);
        break;
    }
}

static void json_op(struct json_writer *w, const struct entry_view *view)
{
    json_key_span(w, view->op->name);
    json_object(w);
    for (size_t i = 0; i < entry_op_column_count; i++) {
        struct entry_value value = { ENTRY_VALUE_NONE };
        if (!(entry_op_columns[i].forms & ENTRY_FORM_JSON))
            continue;
        entry_op_columns[i].get(view, &value);
        if (value.kind == ENTRY_VALUE_NONE)
            continue;
        json_key(w, entry_op_columns[i].name);
        json_value(w, &value);
    }
    json_object_end(w);
}

void entry_print_json(struct strbuf *out, const struct entry *entry,
                      const struct entry_split *split)
{
    struct json_writer writer, *w = &writer;
    struct entry_view view = { entry, split, NULL };
    json_writer_init(w, out);
    json_object(w);
    for (size_t i = 0; i < entry_column_count; i++) {
        struct entry_value value = { ENTRY_VALUE_NONE };
        if (!(entry_columns[i].forms & ENTRY_FORM_JSON))
            continue;
        entry_columns[i].get(&view, &value);
        json_key(w, entry_columns[i].name);
        json_value(w, &value);
    }
    json_key(w, "ops");
    json_object(w);
    for (size_t i = 0; i < entry->op_count; i++) {
        view.op = &entry->ops[i];
        json_op(w, &view);
    }
    json_object_end(w);
    json_object_end(w);
    strbuf_addc(out, '\n');
}

/* --- the flat form ----------------------------------------------- */

static void seed_member(struct strbuf *out, const char *key)
{
    strbuf_addf(out, ",\n  \"%s\": ", key);
}

static void seed_text(struct strbuf *out, struct span bytes)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_text_of_id(&w, bytes);
}

static int64_t observed_at_ms(const struct entry *entry, int64_t t_ms)
{
    if (t_ms != T_NONE || entry->snapshot_ns == T_NONE)
        return t_ms;
    int64_t minutes = entry->snapshot_ns / NS_PER_MINUTE;
    if (entry->snapshot_ns % NS_PER_MINUTE)
        minutes++;
    return minutes * NS_PER_MINUTE / NS_PER_MS;
}

static void seed_ops(struct strbuf *out, const struct entry *entry)
{
    for (enum op op = 0; op < OP_COUNT; op++) {
        for (size_t i = 0; i < entry->op_count; i++) {
            const struct op_stat *stat = &entry->ops[i];
            bool wants_sum = op_seed_wants_sum(op);
            if (op_column(stat->name, stat->unit) != (int)op ||
                !(stat->has & (wants_sum ? OP_HAS_SUM : OP_HAS_SAMPLES)))
                continue;
            seed_member(out, op_name(op));
            strbuf_add_u64(out, wants_sum ? stat->sum : stat->samples);
            break;
        }
    }
}

void entry_print_seed(struct strbuf *out, const struct entry *entry, int64_t t_ms)
{
    char time[TIMETEXT_SIZE];
    strbuf_adds(out, "{\n  \"target\": ");
    seed_text(out, entry->target);
    seed_member(out, "entry_id");
    seed_text(out, entry->id);
    seed_member(out, "timestamp");
    t_ms = observed_at_ms(entry, t_ms);
    if (t_ms == T_NONE) {
        strbuf_adds(out, "null");
    } else {
        size_t size = timetext_print_ms(time, t_ms);
        strbuf_addf(out, "\"%.*s+00:00\"", (int)(size - 1), time); /* for the Z */
    }
    seed_member(out, "snapshot_time");
    if (entry->snapshot_ns == T_NONE) {
        strbuf_adds(out, "null");
    } else {
        size_t size = timetext_print_seconds(time, entry->snapshot_ns);
        strbuf_add(out, time, size);
    }
    seed_ops(out, entry);
    strbuf_adds(out, "\n}");
}

/* --- rows -------------------------------------------------------- */

static void set_bytes(struct table *table, size_t column, struct span bytes)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (bytes.size == 0)
        return;
    entry_id_print(&text, bytes);
    table_set_text(table, column, strbuf_span(&text));
}

static void set_flags(struct table *table, size_t column,
                      const struct entry_value *value)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < value->flags.count; i++)
        strbuf_addf(&text, "%s%s", i ? " " : "", value->flags.names[i]);
    if (value->flags.count > 0)
        table_set_text(table, column, strbuf_span(&text));
}

/* Times of the text keep their nanoseconds, so they are texts in CSV. */
static void set_seconds(struct table *table, size_t column, int64_t t_ns)
{
    char text[TIMETEXT_SIZE];
    if (table->columns[column].type == TABLE_TIME) {
        table_set_i64(table, column, t_ns / NS_PER_MS);
        return;
    }
    size_t size = timetext_print_seconds(text, t_ns);
    table_set_text(table, column, (struct span){ text, size });
}

static void cell_set(struct table *table, size_t column,
                     const struct entry_value *value)
{
    switch (value->kind) {
    case ENTRY_VALUE_NONE:
        break;
    case ENTRY_VALUE_COUNT:
        table_set_u64(table, column, value->count);
        break;
    case ENTRY_VALUE_SECONDS:
        set_seconds(table, column, value->t_ns);
        break;
    case ENTRY_VALUE_FLAGS:
        set_flags(table, column, value);
        break;
    case ENTRY_VALUE_BYTES:
    case ENTRY_VALUE_NUMBER:
    case ENTRY_VALUE_HIST:
        set_bytes(table, column, value->bytes);
        break;
    }
}

static void cells_set(struct table *table, size_t *column, enum entry_form form,
                      const struct entry_column *columns, size_t count,
                      const struct entry_view *view)
{
    for (size_t i = 0; i < count; i++) {
        struct entry_value value = { ENTRY_VALUE_NONE };
        if (!(columns[i].forms & form))
            continue;
        columns[i].get(view, &value);
        cell_set(table, (*column)++, &value);
    }
}

static void columns_add(struct table *table, enum entry_form form,
                        const struct entry_column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (columns[i].forms & form)
            table_add_column(table, columns[i].name, columns[i].type, columns[i].unit);
}

void entry_table_columns(struct table *table, enum entry_form form)
{
    columns_add(table, form, entry_columns, entry_column_count);
    columns_add(table, form, entry_op_columns, entry_op_column_count);
}

void entry_table_rows(struct table *table, enum entry_form form,
                      const struct entry *entry, const struct entry_split *split)
{
    struct entry_view view = { entry, split, NULL };
    size_t rows = form == ENTRY_FORM_CSV && entry->op_count > 0 ? entry->op_count : 1;
    for (size_t i = 0; i < rows; i++) {
        size_t column = 0;
        table_add_row(table);
        cells_set(table, &column, form, entry_columns, entry_column_count, &view);
        if (form != ENTRY_FORM_CSV || entry->op_count == 0)
            continue;
        view.op = &entry->ops[i];
        cells_set(table, &column, form, entry_op_columns, entry_op_column_count, &view);
    }
}
