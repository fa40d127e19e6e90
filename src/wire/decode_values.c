/* SPDX-License-Identifier: Apache-2.0 */
/* decode_values - plain values of a batch, by the key before them. */
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "wire/decode.h"

int decode_batch_value(struct jobstats_decoder *d, enum json_event event,
                       struct span text)
{
    bool is_text = event == JSON_STRING;
    switch (d->key) {
    case KEY_FORMAT:
        if (!is_text || !span_is(text, JOBSTATS_FORMAT))
            return err_set(d->err, EPROTONOSUPPORT,
                           "\"format\" is not \"" JOBSTATS_FORMAT "\"");
        d->has_format = true;
        return 0;
    case KEY_AGENT:
        if (!is_text || uuid_parse(text, &d->agent) < 0)
            return decode_bad_batch(d, "agent", "is not a UUID");
        d->has_agent = true;
        return 0;
    case KEY_SEQUENCE:
        if (event != JSON_NUMBER || number_parse_u64(text, &d->sequence) < 0)
            return decode_bad_batch(d, "sequence", "is not a count of 64 bits");
        d->has_sequence = true;
        return 0;
    case KEY_SERVER:
        if (!is_text || !decode_is_name(text) || text.size > SERVER_MAX)
            return decode_bad_batch(d, "server", "is not a host's name");
        d->server = (struct span){ arena_dup(&d->batch->arena, text), text.size };
        return d->server.data ? 0 : decode_out_of_memory(d);
    case KEY_TARGETS:
        return decode_bad_batch(d, "targets", "is not an array");
    default:
        return 0;
    }
}

static void target_text(struct jobstats_decoder *d, struct span text)
{
    if (text.size > sizeof d->target.data) {
        decode_bad_target(d, "target is over 128 bytes");
        return;
    }
    memcpy(d->target.data, text.data, text.size);
    d->target.size = text.size;
}

/* Whole milliseconds, as rows have them. */
static int time_ms(struct span text, int64_t *ret_ms)
{
    int64_t t_ns;
    int rc = timetext_parse(text, &t_ns);
    if (rc < 0)
        return rc;
    if (t_ns % NS_PER_MS != 0)
        return -EINVAL;
    *ret_ms = t_ns / NS_PER_MS;
    return 0;
}

int decode_target_value(struct jobstats_decoder *d, enum json_event event,
                        struct span text)
{
    if (d->key == KEY_UNKNOWN)
        return 0;
    if (d->key == KEY_ENTRIES)
        return decode_bad_batch(d, "entries", "is not an array");
    if (event != JSON_STRING) {
        decode_bad_target(d, "a member of the target has the wrong type");
        return 0;
    }
    if (d->key == KEY_TARGET)
        target_text(d, text);
    else if (d->key == KEY_TIMESTAMP && time_ms(text, &d->t_ms) < 0)
        decode_bad_target(d,
                          "timestamp is not a time with whole milliseconds and a zone");
    else if (d->key == KEY_KIND && span_is(text, "mdt"))
        d->kind = TARGET_MDT;
    else if (d->key == KEY_KIND && span_is(text, "ost"))
        d->kind = TARGET_OST;
    else if (d->key == KEY_KIND)
        decode_bad_target(d, "kind is neither mdt nor ost");
    return 0;
}

static int entry_id_value(struct jobstats_decoder *d, struct span text)
{
    char bytes[ENTRY_ID_TEXT_MAX];
    size_t size;
    if (text.size > sizeof bytes || entry_id_parse(text, bytes, &size) < 0) {
        decode_bad_entry(d, "entry_id is too long, or a backslash in it is no \\xHH");
        return 0;
    }
    if (size > ENTRY_ID_BYTES_MAX) {
        decode_bad_entry(d, "entry_id is over %d bytes", ENTRY_ID_BYTES_MAX);
        return 0;
    }
    char *copy = arena_dup(&d->batch->arena, (struct span){ bytes, size });
    if (!copy)
        return decode_out_of_memory(d);
    d->row->entry_id = (struct span){ copy, size };
    d->has_id = true;
    return 0;
}

static void entry_time_ms(struct jobstats_decoder *d, enum json_event event,
                          struct span text, int64_t *ret_ms)
{
    *ret_ms = T_NONE;
    if (event == JSON_NULL)
        return;
    if (event != JSON_STRING || time_ms(text, ret_ms) < 0)
        decode_bad_entry(d, "%s is not a time with whole milliseconds and a zone",
                         key_names[d->key].data);
}

static void entry_seconds(struct jobstats_decoder *d, enum json_event event,
                          struct span text, int64_t *ret_ns)
{
    *ret_ns = T_NONE;
    if (event == JSON_NULL)
        return;
    if (event != JSON_NUMBER || number_parse_seconds(text, ret_ns) < 0 || *ret_ns < 0)
        decode_bad_entry(d, "%s is not in seconds since 1970", key_names[d->key].data);
}

static void entry_flag(struct jobstats_decoder *d, enum json_event event)
{
    bool is_flag = event == JSON_TRUE || event == JSON_FALSE;
    if (!is_flag && !(event == JSON_NULL && d->key == KEY_RESET)) {
        decode_bad_entry(d, "%s is neither true nor false", key_names[d->key].data);
        return;
    }
    if (d->key == KEY_EXACT)
        d->row->id_exact = event == JSON_TRUE;
    else if (event == JSON_NULL)
        d->row->reset = RESET_UNKNOWN;
    else
        d->row->reset = event == JSON_TRUE ? RESET_YES : RESET_NO;
}

int decode_entry_value(struct jobstats_decoder *d, enum json_event event,
                       struct span text)
{
    switch (d->key) {
    case KEY_ENTRY_ID:
        if (event == JSON_STRING)
            return entry_id_value(d, text);
        decode_bad_entry(d, "entry_id is not a text");
        return 0;
    case KEY_EXACT:
    case KEY_RESET:
        entry_flag(d, event);
        return 0;
    case KEY_SINCE:
        entry_time_ms(d, event, text, &d->row->since_ms);
        return 0;
    case KEY_PREVIOUS:
        entry_time_ms(d, event, text, &d->row->previous_ms);
        return 0;
    case KEY_SNAPSHOT_TIME:
        entry_seconds(d, event, text, &d->row->snapshot_ns);
        return 0;
    case KEY_START_TIME:
        entry_seconds(d, event, text, &d->row->start_ns);
        return 0;
    case KEY_OPS:
        decode_bad_entry(d, "\"ops\" is not an object");
        return 0;
    default:
        return 0;
    }
}

static void op_text(struct jobstats_decoder *d, struct span text)
{
    if (d->key == KEY_HIST) {
        if (text.size > HIST_MAX)
            decode_bad_entry(d, "hist is over %d bytes", HIST_MAX);
        else
            strbuf_add_span(&d->hist, text);
        d->op.has |= OP_HAS_HIST;
        return;
    }
    if (text.size > sizeof d->unit) {
        decode_bad_entry(d, "unit is over %d bytes", UNIT_MAX);
        return;
    }
    memcpy(d->unit, text.data, text.size);
    d->op.unit = op_unit_parse(text);
    d->op.unit_text = (struct span){ d->unit, text.size };
}

void decode_op_value(struct jobstats_decoder *d, enum json_event event,
                     struct span text)
{
    if (d->key == KEY_UNKNOWN || event == JSON_NULL)
        return;
    bool wants_text = d->key == KEY_UNIT || d->key == KEY_HIST;
    uint64_t value = 0;
    if (event != (wants_text ? JSON_STRING : JSON_NUMBER) ||
        (!wants_text && number_parse_u64(text, &value) < 0)) {
        decode_bad_entry(d, SPAN_FMT ": %s is not a %s", SPAN_ARG(d->op.name),
                         key_names[d->key].data,
                         wants_text ? "text" : "count of 64 bits");
        return;
    }
    if (wants_text) {
        op_text(d, text);
        return;
    }
    static const struct {
        unsigned has;
        size_t offset;
    } fields[] = {
        [KEY_SAMPLES] = { OP_HAS_SAMPLES, offsetof(struct op_stat, samples) },
        [KEY_MIN] = { OP_HAS_MIN, offsetof(struct op_stat, min) },
        [KEY_MAX] = { OP_HAS_MAX, offsetof(struct op_stat, max) },
        [KEY_SUM] = { OP_HAS_SUM, offsetof(struct op_stat, sum) },
        [KEY_SUMSQ] = { OP_HAS_SUMSQ, offsetof(struct op_stat, sumsq) },
    };
    d->op.has |= fields[d->key].has;
    memcpy((char *)&d->op + fields[d->key].offset, &value, sizeof value);
}

static void flat_op_value(struct jobstats_decoder *d, enum json_event event,
                          struct span text)
{
    enum op op = (enum op)d->flat_op;
    uint64_t value;
    if (event == JSON_NULL)
        return;
    if (event != JSON_NUMBER || number_parse_u64(text, &value) < 0) {
        decode_bad_entry(d, "%s is not a count of 64 bits", op_name(op));
        return;
    }
    uint64_t bit = UINT64_C(1) << op;
    if (op_seed_wants_sum(op)) {
        d->row->has_sum |= bit;
        d->row->sum[op] = value;
    } else {
        d->row->has_samples |= bit;
        d->row->samples[op] = value;
    }
}

int decode_flat_value(struct jobstats_decoder *d, enum json_event event,
                      struct span text)
{
    switch (d->key) {
    case KEY_FLAT_OP:
        flat_op_value(d, event, text);
        return 0;
    case KEY_TARGET:
    case KEY_TIMESTAMP:
    case KEY_KIND:
        return decode_target_value(d, event, text);
    default:
        return decode_entry_value(d, event, text);
    }
}
