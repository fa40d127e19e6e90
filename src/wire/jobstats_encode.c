/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_encode - entries and what was observed of them -> the nested JSON form. */
#include "base/json_writer.h"
#include "base/span.h"
#include "base/timetext.h"
#include "wire/jobstats_json.h"

/* A literal, its length known to the compiler. */
#define PUT(out, literal) strbuf_add((out), (literal), sizeof(literal) - 1)

static void put_string(struct strbuf *out, struct span text)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_span(&w, text);
}

static void put_time_ms(struct strbuf *out, int64_t t_ms)
{
    if (t_ms == T_NONE) {
        PUT(out, "null");
        return;
    }
    char text[TIMETEXT_SIZE];
    size_t size = timetext_print_ms(text, t_ms);
    strbuf_addc(out, '"');
    strbuf_add(out, text, size);
    strbuf_addc(out, '"');
}

static void put_seconds(struct strbuf *out, int64_t t_ns)
{
    if (t_ns == T_NONE) {
        PUT(out, "null");
        return;
    }
    char text[TIMETEXT_SIZE];
    strbuf_add(out, text, timetext_print_seconds(text, t_ns));
}

void jobstats_encode_start(struct jobstats_encoder *e, struct strbuf *out,
                           const struct uuid *agent, uint64_t sequence,
                           struct span server)
{
    *e = (struct jobstats_encoder){ .out = out };
    char text[UUID_TEXT_SIZE];
    uuid_print(text, agent);
    PUT(out, "{\"format\":\"" JOBSTATS_FORMAT "\",\"agent\":\"");
    strbuf_adds(out, text);
    PUT(out, "\",\"sequence\":");
    strbuf_add_u64(out, sequence);
    PUT(out, ",\"server\":");
    put_string(out, server);
    PUT(out, ",\"targets\":[");
}

static void end_target(struct jobstats_encoder *e)
{
    if (e->in_target)
        PUT(e->out, "]}");
    e->in_target = false;
}

static void start_target(struct jobstats_encoder *e, const struct entry *entry,
                         int64_t t_ms)
{
    bool is_first = e->entry_count == 0;
    end_target(e);
    e->in_target = true;
    e->target_t_ms = t_ms;
    e->target_size =
        entry->target.size < TARGET_BYTES_MAX ? entry->target.size : TARGET_BYTES_MAX;
    if (e->target_size)
        memcpy(e->target, entry->target.data, e->target_size);
    if (!is_first)
        PUT(e->out, ",");
    PUT(e->out, "{\"target\":");
    put_string(e->out, (struct span){ e->target, e->target_size });
    PUT(e->out, ",\"kind\":\"");
    strbuf_adds(e->out, target_kind_name(entry->kind));
    PUT(e->out, "\",\"timestamp\":");
    put_time_ms(e->out, t_ms);
    PUT(e->out, ",\"entries\":[");
}

static bool is_same_target(const struct jobstats_encoder *e, const struct entry *entry,
                           int64_t t_ms)
{
    return e->in_target && e->target_t_ms == t_ms &&
           span_eq(entry->target, (struct span){ e->target, e->target_size });
}

/* The text form of the bytes as a JSON string. */
static void put_entry_id(struct strbuf *out, struct span id)
{
    size_t plain = 0;
    while (plain < id.size && id.data[plain] > 0x20 && id.data[plain] < 0x7f &&
           id.data[plain] != '\\' && id.data[plain] != '"')
        plain++;
    if (plain == id.size) {
        strbuf_addc(out, '"');
        strbuf_add_span(out, id);
        strbuf_addc(out, '"');
        return;
    }
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    entry_id_print(&text, id);
    if (strbuf_error(&text) < 0)
        out->error = strbuf_error(&text);
    put_string(out, strbuf_span(&text));
}

static void put_number(struct strbuf *out, const char *key, uint64_t value)
{
    strbuf_adds(out, key);
    strbuf_add_u64(out, value);
}

/* What a counter that never happened has beside its sum is noise and left out. */
static void put_extremes(struct strbuf *out, const struct op_stat *op)
{
    if (op->has & OP_HAS_MIN)
        put_number(out, ",\"min\":", op->min);
    if (op->has & OP_HAS_MAX)
        put_number(out, ",\"max\":", op->max);
    if (op->has & OP_HAS_SUMSQ)
        put_number(out, ",\"sumsq\":", op->sumsq);
    if (op->has & OP_HAS_HIST && op->hist.size) {
        PUT(out, ",\"hist\":");
        put_string(out, op->hist);
    }
}

static void put_unit(struct strbuf *out, const struct op_stat *op)
{
    if (op->unit == OP_UNIT_NONE)
        return;
    PUT(out, ",\"unit\":");
    if (op->unit == OP_UNIT_OTHER) {
        put_string(out, op->unit_text);
        return;
    }
    strbuf_addc(out, '"');
    strbuf_adds(out, op_unit_name(op->unit));
    strbuf_addc(out, '"');
}

static void put_op(struct strbuf *out, const struct op_stat *op, bool is_zero)
{
    bool has_samples = op->has & OP_HAS_SAMPLES;
    bool has_column = op_column(op->name, op->unit) != OP_NONE;
    bool never_happened = is_zero || (has_samples && op->samples == 0 && has_column);
    if (has_column) { /* a name of the table: nothing in it to escape */
        strbuf_addc(out, '"');
        strbuf_add_span(out, op->name);
        strbuf_addc(out, '"');
    } else {
        put_string(out, op->name);
    }
    if (has_samples)
        put_number(out, ":{\"samples\":", is_zero ? 0 : op->samples);
    else
        PUT(out, ":{\"samples\":null");
    put_unit(out, op);
    if (op->has & OP_HAS_SUM)
        put_number(out, ",\"sum\":", is_zero ? 0 : op->sum);
    if (!never_happened)
        put_extremes(out, op);
    strbuf_addc(out, '}');
}

void jobstats_encode_entry(struct jobstats_encoder *e, const struct entry *entry,
                           const struct observation *seen)
{
    struct strbuf *out = e->out;
    if (is_same_target(e, entry, seen->t_ms))
        strbuf_addc(out, ',');
    else
        start_target(e, entry, seen->t_ms);
    e->entry_count++;
    PUT(out, "{\"entry_id\":");
    put_entry_id(out, entry->id);
    if (entry->flags & ENTRY_ID_QUOTED)
        PUT(out, ",\"exact\":true");
    PUT(out, ",\"since\":");
    put_time_ms(out, seen->since_ms);
    PUT(out, ",\"previous\":");
    put_time_ms(out, seen->previous_ms);
    strbuf_adds(out, seen->is_doubtful ? ",\"reset\":null"
                     : seen->reset     ? ",\"reset\":true"
                                       : ",\"reset\":false");
    PUT(out, ",\"snapshot_time\":");
    put_seconds(out, seen->is_zero ? T_NONE : entry->snapshot_ns);
    PUT(out, ",\"start_time\":");
    put_seconds(out, entry->start_ns);
    PUT(out, ",\"ops\":{");
    for (size_t i = 0; i < entry->op_count; i++) {
        if (i)
            strbuf_addc(out, ',');
        put_op(out, &entry->ops[i], seen->is_zero);
    }
    PUT(out, "}}");
}

int jobstats_encode_finish(struct jobstats_encoder *e)
{
    end_target(e);
    PUT(e->out, "]}");
    return strbuf_error(e->out);
}
