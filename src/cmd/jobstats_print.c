/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_print - one entry in the forms of baro jobstats parse. */
#include "cmd/jobstats_print.h"

#include "base/json_writer.h"
#include "base/number.h"
#include "base/timetext.h"

#define NS_PER_MINUTE (60 * NS_PER_S)

/* The flags of text and split together, by their names. */
static size_t list_flags(const struct entry *entry, const struct entry_split *split,
                         const char *names[static 8])
{
    size_t count = 0;
    for (unsigned bit = 1; bit <= SPLIT_MAYBE_REPLACED; bit <<= 1)
        if (split->flags & bit)
            names[count++] = entry_split_flag_name(bit);
    if (entry->flags & ENTRY_BOOT_TIME)
        names[count++] = "boot_time";
    if (entry->flags & ENTRY_ID_CUT_LINE)
        names[count++] = "cut_at_line_end";
    return count;
}

static void json_text_of_id(struct json_writer *w, struct span id)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    entry_id_print(&text, id);
    json_span(w, strbuf_span(&text));
}

/* A field of the identifier: null where it has none or an empty one. */
static void json_id_field(struct json_writer *w, const char *key, struct span field)
{
    json_key(w, key);
    if (field.size > 0)
        json_text_of_id(w, field);
    else
        json_null(w);
}

/* Numbers of users are JSON numbers, unless they are longer than any. */
static void json_id_number(struct json_writer *w, const char *key, struct span field)
{
    uint64_t number;
    if (number_parse_u64(field, &number) < 0) {
        json_id_field(w, key, field);
        return;
    }
    json_key(w, key);
    json_u64(w, number);
}

static void json_time(struct json_writer *w, const char *key, int64_t t_ns)
{
    json_key(w, key);
    if (t_ns == T_NONE)
        json_null(w);
    else
        json_seconds(w, t_ns);
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

static void json_op(struct json_writer *w, const struct op_stat *op)
{
    const struct {
        unsigned bit;
        const char *key;
        uint64_t value;
    } numbers[] = {
        { OP_HAS_MIN, "min", op->min },
        { OP_HAS_MAX, "max", op->max },
        { OP_HAS_SUM, "sum", op->sum },
        { OP_HAS_SUMSQ, "sumsq", op->sumsq },
    };
    json_key_span(w, op->name);
    json_object(w);
    if (op->has & OP_HAS_SAMPLES) {
        json_key(w, "samples");
        json_u64(w, op->samples);
    }
    if (op->unit != OP_UNIT_NONE) {
        json_key(w, "unit");
        json_text_of_id(w, op->unit_text);
    }
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        if (!(op->has & numbers[i].bit))
            continue;
        json_key(w, numbers[i].key);
        json_u64(w, numbers[i].value);
    }
    if (op->has & OP_HAS_HIST) {
        json_key(w, "hist");
        json_hist(w, op->hist);
    }
    json_object_end(w);
}

void jobstats_print_json(struct strbuf *out, const struct entry *entry,
                         const struct entry_split *split)
{
    struct json_writer writer, *w = &writer;
    const char *names[8];
    size_t count = list_flags(entry, split, names);
    json_writer_init(w, out);
    json_object(w);
    json_id_field(w, "target", entry->target);
    json_id_field(w, "entry_id", entry->id);
    json_id_field(w, "job_id", split->fields[ENTRY_JOB]);
    json_id_number(w, "user_id", split->fields[ENTRY_USER]);
    json_id_number(w, "group_id", split->fields[ENTRY_GROUP]);
    json_id_field(w, "nodename", split->fields[ENTRY_HOST]);
    json_id_field(w, "executable", split->fields[ENTRY_EXECUTABLE]);
    json_key(w, "flags");
    json_array(w);
    for (size_t i = 0; i < count; i++)
        json_text(w, names[i]);
    json_array_end(w);
    json_time(w, "snapshot_time", entry->snapshot_ns);
    json_time(w, "start_time", entry->start_ns);
    json_time(w, "elapsed_time", entry->elapsed_ns);
    json_key(w, "ops");
    json_object(w);
    for (size_t i = 0; i < entry->op_count; i++)
        json_op(w, &entry->ops[i]);
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

void jobstats_print_seed(struct strbuf *out, const struct entry *entry, int64_t t_ms)
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

static void set_flags(struct table *table, size_t column, const struct entry *entry,
                      const struct entry_split *split)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const char *names[8];
    size_t count = list_flags(entry, split, names);
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&text, "%s%s", i ? " " : "", names[i]);
    if (count > 0)
        table_set_text(table, column, strbuf_span(&text));
}

/* Times of the text keep their nanoseconds, so they are texts here. */
static void set_seconds(struct table *table, size_t column, int64_t t_ns)
{
    char text[TIMETEXT_SIZE];
    if (t_ns == T_NONE)
        return;
    size_t size = timetext_print_seconds(text, t_ns);
    table_set_text(table, column, (struct span){ text, size });
}

/* Columns that both forms begin with; returns how many. */
static size_t id_columns(struct table *table)
{
    static const char *const names[] = { "target",     "entry_id", "job_id",
                                         "user_id",    "group_id", "nodename",
                                         "executable", "flags" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        table_add_column(table, names[i], TABLE_TEXT, "");
    return COUNT_OF(names);
}

static size_t set_id(struct table *table, const struct entry *entry,
                     const struct entry_split *split)
{
    static const enum entry_field fields[] = { ENTRY_JOB, ENTRY_USER, ENTRY_GROUP,
                                               ENTRY_HOST, ENTRY_EXECUTABLE };
    size_t column = 0;
    table_add_row(table);
    set_bytes(table, column++, entry->target);
    set_bytes(table, column++, entry->id);
    for (size_t i = 0; i < COUNT_OF(fields); i++)
        set_bytes(table, column++, split->fields[fields[i]]);
    set_flags(table, column++, entry, split);
    return column;
}

void jobstats_csv_columns(struct table *table)
{
    static const char *const times[] = { "snapshot_time", "start_time", "elapsed_time",
                                         "op", "unit" };
    static const char *const numbers[] = { "samples", "min", "max", "sum", "sumsq" };
    (void)id_columns(table);
    for (size_t i = 0; i < COUNT_OF(times); i++)
        table_add_column(table, times[i], TABLE_TEXT, "");
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        table_add_column(table, numbers[i], TABLE_U64, "");
    table_add_column(table, "hist", TABLE_TEXT, "");
}

static size_t set_id_and_times(struct table *table, const struct entry *entry,
                               const struct entry_split *split)
{
    size_t column = set_id(table, entry, split);
    set_seconds(table, column++, entry->snapshot_ns);
    set_seconds(table, column++, entry->start_ns);
    set_seconds(table, column++, entry->elapsed_ns);
    return column;
}

void jobstats_csv_rows(struct table *table, const struct entry *entry,
                       const struct entry_split *split)
{
    if (entry->op_count == 0)
        (void)set_id_and_times(table, entry, split);
    for (size_t i = 0; i < entry->op_count; i++) {
        const struct op_stat *op = &entry->ops[i];
        const struct {
            unsigned bit;
            uint64_t value;
        } numbers[] = {
            { OP_HAS_SAMPLES, op->samples }, { OP_HAS_MIN, op->min },
            { OP_HAS_MAX, op->max },         { OP_HAS_SUM, op->sum },
            { OP_HAS_SUMSQ, op->sumsq },
        };
        size_t column = set_id_and_times(table, entry, split);
        set_bytes(table, column++, op->name);
        set_bytes(table, column++, op->unit_text);
        for (size_t k = 0; k < COUNT_OF(numbers); k++, column++)
            if (op->has & numbers[k].bit)
                table_set_u64(table, column, numbers[k].value);
        set_bytes(table, column, op->hist);
    }
}

void jobstats_table_columns(struct table *table)
{
    (void)id_columns(table);
    table_add_column(table, "snapshot_time", TABLE_TIME, "");
    table_add_column(table, "requests", TABLE_U64, "");
    table_add_column(table, "read", TABLE_U64, "bytes");
    table_add_column(table, "written", TABLE_U64, "bytes");
}

/* Calls that the server counted: the lines about sizes count calls that other lines
 * count as well, unless they are all that there is. */
static uint64_t count_requests(const struct entry *entry)
{
    bool has_calls = entry_find_op(entry, SPAN("read")) != NULL;
    uint64_t requests = 0;
    for (size_t i = 0; i < entry->op_count; i++) {
        const struct op_stat *op = &entry->ops[i];
        if (!has_calls || !span_ends(op->name, "_bytes"))
            requests += op->samples;
    }
    return requests;
}

void jobstats_table_row(struct table *table, const struct entry *entry,
                        const struct entry_split *split)
{
    size_t column = set_id(table, entry, split);
    if (entry->snapshot_ns != T_NONE)
        table_set_i64(table, column, entry->snapshot_ns / NS_PER_MS);
    table_set_u64(table, ++column, count_requests(entry));
    for (enum op op = OP_READ_BYTES; op <= OP_WRITE_BYTES; op++) {
        column++;
        for (size_t i = 0; i < entry->op_count; i++)
            if (op_column(entry->ops[i].name, entry->ops[i].unit) == (int)op)
                table_set_u64(table, column, entry->ops[i].sum);
    }
}
