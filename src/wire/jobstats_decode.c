/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_decode - the nested and the flat JSON form -> rows, as the bytes arrive.
 *
 *     {batch, "targets":[ {target, "entries":[ {entry, "ops":{ name:{op} }} ]} ]}
 *     [ {flat entry} ]
 *
 * One state for each kind of container; what is none of them is skipped whole.  JSON
 * does not order members, so a target's name and time may follow its entries: rows are
 * completed when their target ends.
 */
#include "base/number.h"
#include "base/timetext.h"
#include "wire/jobstats_json.h"

#include <stdio.h>

enum {
    ENTRY_ID_TEXT_MAX = ENTRY_ID_BYTES_MAX * 4, /* every byte as \xHH */
    OP_NAME_MAX = 64,
    UNIT_MAX = 31,
    HIST_MAX = 4096,
    SERVER_MAX = 255,
    MORE_MAX = 16384,
};

enum place {
    AT_TOP,
    AT_BATCH,
    AT_TARGETS,
    AT_TARGET,
    AT_ENTRIES,
    AT_ENTRY,
    AT_OPS,
    AT_OP,
    AT_FLAT,
    AT_FLAT_ENTRY,
};

enum key {
    KEY_UNKNOWN,
    KEY_FORMAT,
    KEY_AGENT,
    KEY_SEQUENCE,
    KEY_SERVER,
    KEY_TARGETS,
    KEY_TARGET,
    KEY_KIND,
    KEY_TIMESTAMP,
    KEY_ENTRIES,
    KEY_ENTRY_ID,
    KEY_EXACT,
    KEY_SINCE,
    KEY_PREVIOUS,
    KEY_RESET,
    KEY_SNAPSHOT_TIME,
    KEY_START_TIME,
    KEY_OPS,
    KEY_SAMPLES,
    KEY_UNIT,
    KEY_MIN,
    KEY_MAX,
    KEY_SUM,
    KEY_SUMSQ,
    KEY_HIST,
    KEY_FLAT_OP, /* of the flat form: the operation is in flat_op */
    KEY_COUNT,
};

/* Their sizes are known to the compiler: keys are looked up for every number. */
static const struct span key_names[KEY_COUNT] = {
    [KEY_FORMAT] = { "format", sizeof("format") - 1 },
    [KEY_AGENT] = { "agent", sizeof("agent") - 1 },
    [KEY_SEQUENCE] = { "sequence", sizeof("sequence") - 1 },
    [KEY_SERVER] = { "server", sizeof("server") - 1 },
    [KEY_TARGETS] = { "targets", sizeof("targets") - 1 },
    [KEY_TARGET] = { "target", sizeof("target") - 1 },
    [KEY_KIND] = { "kind", sizeof("kind") - 1 },
    [KEY_TIMESTAMP] = { "timestamp", sizeof("timestamp") - 1 },
    [KEY_ENTRIES] = { "entries", sizeof("entries") - 1 },
    [KEY_ENTRY_ID] = { "entry_id", sizeof("entry_id") - 1 },
    [KEY_EXACT] = { "exact", sizeof("exact") - 1 },
    [KEY_SINCE] = { "since", sizeof("since") - 1 },
    [KEY_PREVIOUS] = { "previous", sizeof("previous") - 1 },
    [KEY_RESET] = { "reset", sizeof("reset") - 1 },
    [KEY_SNAPSHOT_TIME] = { "snapshot_time", sizeof("snapshot_time") - 1 },
    [KEY_START_TIME] = { "start_time", sizeof("start_time") - 1 },
    [KEY_OPS] = { "ops", sizeof("ops") - 1 },
    [KEY_SAMPLES] = { "samples", sizeof("samples") - 1 },
    [KEY_UNIT] = { "unit", sizeof("unit") - 1 },
    [KEY_MIN] = { "min", sizeof("min") - 1 },
    [KEY_MAX] = { "max", sizeof("max") - 1 },
    [KEY_SUM] = { "sum", sizeof("sum") - 1 },
    [KEY_SUMSQ] = { "sumsq", sizeof("sumsq") - 1 },
    [KEY_HIST] = { "hist", sizeof("hist") - 1 },
};

/* The keys of each kind of object are consecutive. */
static const struct {
    enum key first, last;
} keys_at[] = {
    [AT_BATCH] = { KEY_FORMAT, KEY_TARGETS },
    [AT_TARGET] = { KEY_TARGET, KEY_ENTRIES },
    [AT_ENTRY] = { KEY_ENTRY_ID, KEY_OPS },
    [AT_OP] = { KEY_SAMPLES, KEY_HIST },
};

struct text {
    size_t size;
    char data[TARGET_BYTES_MAX];
};

struct jobstats_decoder {
    struct json_reader reader;
    struct jobbatch *batch;
    struct err *err; /* of the feed or finish that runs */
    enum place place;
    enum key key;
    bool is_skipping;
    unsigned skip_depth;

    bool has_format, has_agent, has_sequence, has_targets;
    struct uuid agent;
    uint64_t sequence;
    struct span server; /* in the batch's arena */

    /* the target that is open; in the flat form the entry's own */
    struct text target;
    struct span target_kept; /* the last name copied into the arena */
    int kind;                /* -1: not said */
    int64_t t_ms;
    char target_reason[sizeof((struct jobstats_bad *)NULL)->reason];
    size_t target_first_row;
    uint64_t target_first_entry;

    /* the entry that is open */
    struct jobrow *row;
    bool has_id;
    size_t op_count;
    char entry_reason[sizeof((struct jobstats_bad *)NULL)->reason];
    struct strbuf more;

    /* the operation that is open */
    int flat_op;
    struct op_stat op;
    char op_name[OP_NAME_MAX];
    char unit[UNIT_MAX];
    struct strbuf hist;

    uint64_t entry_count;
    uint64_t bad_count;
    uint64_t unknown_count;
    struct jobstats_bad bad[JOBSTATS_BAD_MAX];
    uint32_t entry_of[JOBBATCH_ROWS_MAX];
};

/* ---- what costs an entry, a target, the batch ---- */

static void bad_entry(struct jobstats_decoder *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void bad_entry(struct jobstats_decoder *d, const char *fmt, ...)
{
    if (d->entry_reason[0])
        return; /* the first reason is the one to tell */
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(d->entry_reason, sizeof d->entry_reason, fmt, ap);
    va_end(ap);
}

static void bad_target(struct jobstats_decoder *d, const char *reason)
{
    if (!d->target_reason[0])
        (void)snprintf(d->target_reason, sizeof d->target_reason, "%s", reason);
}

static int bad_batch(struct jobstats_decoder *d, const char *key, const char *reason)
{
    return err_set(d->err, EBADMSG, "\"%s\" %s (line %llu)", key, reason,
                   (unsigned long long)d->reader.line);
}

static void note_bad(struct jobstats_decoder *d, uint64_t entry, const char *reason)
{
    if (d->bad_count < JOBSTATS_BAD_MAX) {
        struct jobstats_bad *bad = &d->bad[d->bad_count];
        bad->entry = entry;
        memcpy(bad->reason, reason, sizeof bad->reason);
    }
    d->bad_count++;
}

static int out_of_memory(struct jobstats_decoder *d)
{
    return err_set(d->err, EMSGSIZE, "a batch that takes over %zu bytes of memory",
                   d->batch->arena.bytes_max);
}

/* ---- entries and targets: begin and end ---- */

static void begin_target(struct jobstats_decoder *d)
{
    d->target.size = 0;
    d->kind = -1;
    d->t_ms = T_NONE;
    d->target_reason[0] = '\0';
    d->target_first_row = d->batch->row_count;
    d->target_first_entry = d->entry_count;
}

static int begin_entry(struct jobstats_decoder *d)
{
    if (d->entry_count == JOBSTATS_ENTRIES_MAX)
        return err_set(d->err, EMSGSIZE, "a batch of more than %d entries",
                       JOBSTATS_ENTRIES_MAX);
    d->row = jobbatch_add_row(d->batch);
    if (!d->row)
        return out_of_memory(d);
    d->row->reset = RESET_UNKNOWN;
    d->entry_of[d->batch->row_count - 1] = (uint32_t)d->entry_count++;
    d->has_id = false;
    d->op_count = 0;
    d->entry_reason[0] = '\0';
    strbuf_clear(&d->more);
    return 0;
}

static int end_entry(struct jobstats_decoder *d)
{
    if (!d->has_id)
        bad_entry(d, "no entry_id");
    if (d->more.size > MORE_MAX)
        bad_entry(d, "more than %d bytes of statistics beside the columns", MORE_MAX);
    if (d->entry_reason[0]) {
        note_bad(d, d->entry_count - 1, d->entry_reason);
        d->batch->row_count--;
        return 0;
    }
    if (jobrow_set_more(d->row, &d->more, &d->batch->arena) < 0)
        return out_of_memory(d);
    return 0;
}

static bool is_name(struct span name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool is_good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
        if (!is_good)
            return false;
    }
    return name.size > 0;
}

/* The kind that name and "kind" tell together, or -1 with a reason. */
static int settle_kind(struct jobstats_decoder *d)
{
    struct span name = { d->target.data, d->target.size };
    struct target_name parts;
    if (!is_name(name)) {
        bad_target(d, name.size ? "target is not a name" : "no target");
        return -1;
    }
    bool has_form = target_parse(name, &parts) == 0;
    if (!has_form && d->kind < 0)
        bad_target(d, "target is neither an MDT nor an OST, and no kind is given");
    else if (has_form && d->kind >= 0 && d->kind != (int)parts.kind)
        bad_target(d, "kind contradicts the target's name");
    return has_form ? (int)parts.kind : d->kind;
}

/* Complete the target's rows, or drop them all for its reason. */
static int end_target(struct jobstats_decoder *d)
{
    struct jobbatch *batch = d->batch;
    int kind = settle_kind(d);
    if (d->t_ms == T_NONE)
        bad_target(d, "no timestamp");
    if (d->target_reason[0]) {
        for (size_t i = d->target_first_row; i < batch->row_count; i++)
            note_bad(d, d->entry_of[i], d->target_reason);
        batch->row_count = d->target_first_row;
        return 0;
    }
    struct span name = { d->target.data, d->target.size };
    if (!span_eq(name, d->target_kept)) {
        char *copy = arena_dup(&batch->arena, name);
        if (!copy)
            return out_of_memory(d);
        d->target_kept = (struct span){ copy, name.size };
    }
    for (size_t i = d->target_first_row; i < batch->row_count; i++) {
        struct jobrow *row = &batch->rows[i];
        row->target = d->target_kept;
        row->kind = (enum target_kind)kind;
        row->t_ms = d->t_ms;
    }
    return 0;
}

static void end_op(struct jobstats_decoder *d)
{
    if (d->entry_reason[0])
        return;
    if (++d->op_count > ENTRY_OPS_MAX) {
        bad_entry(d, "more than %d operations", ENTRY_OPS_MAX);
        return;
    }
    d->op.hist = strbuf_span(&d->hist);
    jobrow_add_op(d->row, &d->op, &d->more);
}

/* ---- containers ---- */

static int skip(struct jobstats_decoder *d, unsigned depth)
{
    d->is_skipping = true;
    d->skip_depth = depth;
    return 0;
}

/* A container where a plain value, or the other kind of container, should be. */
static int wrong_container(struct jobstats_decoder *d, unsigned depth)
{
    bool is_known = d->key != KEY_UNKNOWN || d->place == AT_TARGETS;
    switch (is_known ? d->place : AT_TOP) {
    case AT_BATCH:
        return bad_batch(d, key_names[d->key].data, "is not what it should be");
    case AT_TARGETS:
        return bad_batch(d, "targets", "holds something that is no object");
    case AT_TARGET:
        if (d->key == KEY_ENTRIES)
            return bad_batch(d, "entries", "is not an array");
        bad_target(d, "a member of the target has the wrong type");
        break;
    case AT_OPS:
        bad_entry(d, "\"ops\" holds something that is no object");
        break;
    case AT_OP:
        bad_entry(d, SPAN_FMT ": %s has the wrong type", SPAN_ARG(d->op.name),
                  key_names[d->key].data);
        break;
    case AT_ENTRY:
    case AT_FLAT_ENTRY:
        bad_entry(d, "\"%s\" has the wrong type",
                  d->key == KEY_FLAT_OP ? op_name((enum op)d->flat_op)
                                        : key_names[d->key].data);
        break;
    default:
        break;
    }
    return skip(d, depth);
}

/* An element of a list of entries that is no object costs one entry. */
static int not_an_entry(struct jobstats_decoder *d)
{
    int rc = begin_entry(d);
    if (rc < 0)
        return rc;
    bad_entry(d, "not an object");
    return end_entry(d);
}

static int open_op(struct jobstats_decoder *d)
{
    struct span name = d->op.name;
    d->op = (struct op_stat){ .name = name };
    strbuf_clear(&d->hist);
    d->place = AT_OP;
    return 0;
}

static int open_object(struct jobstats_decoder *d, unsigned depth)
{
    switch (d->place) {
    case AT_TOP:
        d->place = AT_BATCH;
        return 0;
    case AT_TARGETS:
        begin_target(d);
        d->place = AT_TARGET;
        return 0;
    case AT_ENTRIES:
        d->place = AT_ENTRY;
        return begin_entry(d);
    case AT_ENTRY:
        if (d->key != KEY_OPS)
            return wrong_container(d, depth);
        d->place = AT_OPS;
        return 0;
    case AT_OPS:
        return open_op(d);
    case AT_FLAT:
        begin_target(d);
        d->place = AT_FLAT_ENTRY;
        return begin_entry(d);
    default:
        return wrong_container(d, depth);
    }
}

static int open_array(struct jobstats_decoder *d, unsigned depth)
{
    switch (d->place) {
    case AT_TOP:
        d->place = AT_FLAT;
        return 0;
    case AT_BATCH:
        if (d->key != KEY_TARGETS)
            return wrong_container(d, depth);
        if (d->has_targets)
            return bad_batch(d, "targets", "stands there twice");
        d->has_targets = true;
        d->place = AT_TARGETS;
        return 0;
    case AT_TARGET:
        if (d->key != KEY_ENTRIES)
            return wrong_container(d, depth);
        d->place = AT_ENTRIES;
        return 0;
    case AT_ENTRIES:
    case AT_FLAT: {
        int rc = not_an_entry(d);
        return rc < 0 ? rc : skip(d, depth);
    }
    default:
        return wrong_container(d, depth);
    }
}

static int close_container(struct jobstats_decoder *d)
{
    int rc;
    switch (d->place) {
    case AT_TARGETS:
        d->place = AT_BATCH;
        return 0;
    case AT_TARGET:
        d->place = AT_TARGETS;
        return end_target(d);
    case AT_ENTRIES:
        d->place = AT_TARGET;
        return 0;
    case AT_ENTRY:
        d->place = AT_ENTRIES;
        return end_entry(d);
    case AT_OPS:
        d->place = AT_ENTRY;
        return 0;
    case AT_OP:
        d->place = AT_OPS;
        end_op(d);
        return 0;
    case AT_FLAT_ENTRY:
        d->place = AT_FLAT;
        rc = end_entry(d);
        return rc < 0 ? rc : end_target(d);
    default:
        return 0;
    }
}

/* ---- keys ---- */

static void take_op_key(struct jobstats_decoder *d, struct span name)
{
    if (name.size == 0 || name.size > sizeof d->op_name)
        bad_entry(d, "the name of an operation is empty or over %d bytes", OP_NAME_MAX);
    size_t size = name.size < sizeof d->op_name ? name.size : sizeof d->op_name;
    memcpy(d->op_name, name.data, size);
    d->op.name = (struct span){ d->op_name, size };
    d->key = KEY_OPS;
}

static void take_flat_key(struct jobstats_decoder *d, struct span name)
{
    static const enum key keys[] = { KEY_TARGET,        KEY_ENTRY_ID,   KEY_TIMESTAMP,
                                     KEY_SNAPSHOT_TIME, KEY_START_TIME, KEY_KIND };
    d->flat_op = op_find(name);
    d->key = d->flat_op == OP_NONE ? KEY_UNKNOWN : KEY_FLAT_OP;
    for (size_t i = 0; d->key == KEY_UNKNOWN && i < COUNT_OF(keys); i++)
        if (span_eq(name, key_names[keys[i]]))
            d->key = keys[i];
    d->unknown_count += d->key == KEY_UNKNOWN;
}

static void take_key(struct jobstats_decoder *d, struct span name)
{
    if (d->place == AT_OPS) {
        take_op_key(d, name);
        return;
    }
    if (d->place == AT_FLAT_ENTRY) {
        take_flat_key(d, name);
        return;
    }
    d->key = KEY_UNKNOWN;
    for (enum key k = keys_at[d->place].first; k <= keys_at[d->place].last; k++) {
        if (span_eq(name, key_names[k])) {
            d->key = k;
            return;
        }
    }
    d->unknown_count++;
}

/* ---- plain values ---- */

static int batch_value(struct jobstats_decoder *d, enum json_event event,
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
            return bad_batch(d, "agent", "is not a UUID");
        d->has_agent = true;
        return 0;
    case KEY_SEQUENCE:
        if (event != JSON_NUMBER || number_parse_u64(text, &d->sequence) < 0)
            return bad_batch(d, "sequence", "is not a count of 64 bits");
        d->has_sequence = true;
        return 0;
    case KEY_SERVER:
        if (!is_text || !is_name(text) || text.size > SERVER_MAX)
            return bad_batch(d, "server", "is not a host's name");
        d->server = (struct span){ arena_dup(&d->batch->arena, text), text.size };
        return d->server.data ? 0 : out_of_memory(d);
    case KEY_TARGETS:
        return bad_batch(d, "targets", "is not an array");
    default:
        return 0;
    }
}

static void target_text(struct jobstats_decoder *d, struct span text)
{
    if (text.size > sizeof d->target.data) {
        bad_target(d, "target is over 128 bytes");
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

static int target_value(struct jobstats_decoder *d, enum json_event event,
                        struct span text)
{
    if (d->key == KEY_UNKNOWN)
        return 0;
    if (d->key == KEY_ENTRIES)
        return bad_batch(d, "entries", "is not an array");
    if (event != JSON_STRING) {
        bad_target(d, "a member of the target has the wrong type");
        return 0;
    }
    if (d->key == KEY_TARGET)
        target_text(d, text);
    else if (d->key == KEY_TIMESTAMP && time_ms(text, &d->t_ms) < 0)
        bad_target(d, "timestamp is not a time with whole milliseconds and a zone");
    else if (d->key == KEY_KIND && span_is(text, "mdt"))
        d->kind = TARGET_MDT;
    else if (d->key == KEY_KIND && span_is(text, "ost"))
        d->kind = TARGET_OST;
    else if (d->key == KEY_KIND)
        bad_target(d, "kind is neither mdt nor ost");
    return 0;
}

static int entry_id_value(struct jobstats_decoder *d, struct span text)
{
    char bytes[ENTRY_ID_TEXT_MAX];
    size_t size;
    if (text.size > sizeof bytes || entry_id_parse(text, bytes, &size) < 0) {
        bad_entry(d, "entry_id is too long, or a backslash in it is no \\xHH");
        return 0;
    }
    if (size > ENTRY_ID_BYTES_MAX) {
        bad_entry(d, "entry_id is over %d bytes", ENTRY_ID_BYTES_MAX);
        return 0;
    }
    char *copy = arena_dup(&d->batch->arena, (struct span){ bytes, size });
    if (!copy)
        return out_of_memory(d);
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
        bad_entry(d, "%s is not a time with whole milliseconds and a zone",
                  key_names[d->key].data);
}

static void entry_seconds(struct jobstats_decoder *d, enum json_event event,
                          struct span text, int64_t *ret_ns)
{
    *ret_ns = T_NONE;
    if (event == JSON_NULL)
        return;
    if (event != JSON_NUMBER || number_parse_seconds(text, ret_ns) < 0 || *ret_ns < 0)
        bad_entry(d, "%s is not in seconds since 1970", key_names[d->key].data);
}

static void entry_flag(struct jobstats_decoder *d, enum json_event event)
{
    bool is_flag = event == JSON_TRUE || event == JSON_FALSE;
    if (!is_flag && !(event == JSON_NULL && d->key == KEY_RESET)) {
        bad_entry(d, "%s is neither true nor false", key_names[d->key].data);
        return;
    }
    if (d->key == KEY_EXACT)
        d->row->id_exact = event == JSON_TRUE;
    else if (event == JSON_NULL)
        d->row->reset = RESET_UNKNOWN;
    else
        d->row->reset = event == JSON_TRUE ? RESET_YES : RESET_NO;
}

static int entry_value(struct jobstats_decoder *d, enum json_event event,
                       struct span text)
{
    switch (d->key) {
    case KEY_ENTRY_ID:
        if (event == JSON_STRING)
            return entry_id_value(d, text);
        bad_entry(d, "entry_id is not a text");
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
        bad_entry(d, "\"ops\" is not an object");
        return 0;
    default:
        return 0;
    }
}

static void op_text(struct jobstats_decoder *d, struct span text)
{
    if (d->key == KEY_HIST) {
        if (text.size > HIST_MAX)
            bad_entry(d, "hist is over %d bytes", HIST_MAX);
        else
            strbuf_add_span(&d->hist, text);
        d->op.has |= OP_HAS_HIST;
        return;
    }
    if (text.size > sizeof d->unit) {
        bad_entry(d, "unit is over %d bytes", UNIT_MAX);
        return;
    }
    memcpy(d->unit, text.data, text.size);
    d->op.unit = op_unit_parse(text);
    d->op.unit_text = (struct span){ d->unit, text.size };
}

static void op_value(struct jobstats_decoder *d, enum json_event event,
                     struct span text)
{
    if (d->key == KEY_UNKNOWN || event == JSON_NULL)
        return;
    bool wants_text = d->key == KEY_UNIT || d->key == KEY_HIST;
    uint64_t value = 0;
    if (event != (wants_text ? JSON_STRING : JSON_NUMBER) ||
        (!wants_text && number_parse_u64(text, &value) < 0)) {
        bad_entry(d, SPAN_FMT ": %s is not a %s", SPAN_ARG(d->op.name),
                  key_names[d->key].data, wants_text ? "text" : "count of 64 bits");
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
        bad_entry(d, "%s is not a count of 64 bits", op_name(op));
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

static int flat_value(struct jobstats_decoder *d, enum json_event event,
                      struct span text)
{
    switch (d->key) {
    case KEY_FLAT_OP:
        flat_op_value(d, event, text);
        return 0;
    case KEY_TARGET:
    case KEY_TIMESTAMP:
    case KEY_KIND:
        return target_value(d, event, text);
    default:
        return entry_value(d, event, text);
    }
}

static int take_value(struct jobstats_decoder *d, enum json_event event,
                      struct span text)
{
    switch (d->place) {
    case AT_TOP:
        return err_set(d->err, EBADMSG, "neither a batch nor an array of entries");
    case AT_BATCH:
        return batch_value(d, event, text);
    case AT_TARGETS:
        return bad_batch(d, "targets", "holds something that is no object");
    case AT_TARGET:
        return target_value(d, event, text);
    case AT_ENTRIES:
    case AT_FLAT:
        return not_an_entry(d);
    case AT_ENTRY:
        return entry_value(d, event, text);
    case AT_OPS:
        bad_entry(d, "\"ops\" holds something that is no object");
        return 0;
    case AT_OP:
        op_value(d, event, text);
        return 0;
    case AT_FLAT_ENTRY:
        return flat_value(d, event, text);
    }
    return 0;
}

static int take_event(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct jobstats_decoder *d = arg;
    if (d->is_skipping) {
        bool is_end = event == JSON_OBJECT_END || event == JSON_ARRAY_END;
        d->is_skipping = !(is_end && depth == d->skip_depth);
        return 0;
    }
    switch (event) {
    case JSON_KEY:
        take_key(d, text);
        return 0;
    case JSON_OBJECT:
        return open_object(d, depth);
    case JSON_ARRAY:
        return open_array(d, depth);
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        return close_container(d);
    default:
        return take_value(d, event, text);
    }
}

/* ---- the door ---- */

int jobstats_decoder_new(struct jobbatch *batch, struct jobstats_decoder **ret)
{
    struct jobstats_decoder *d = calloc(1, sizeof *d);
    if (!d)
        return -ENOMEM;
    static const struct json_reader_opts opts = { .depth_max = 16,
                                                  .token_bytes_max = 16384 };
    d->batch = batch;
    json_reader_init(&d->reader, &opts, take_event, d);
    *ret = d;
    return 0;
}

void jobstats_decoder_free(struct jobstats_decoder *d)
{
    if (!d)
        return;
    json_reader_done(&d->reader);
    strbuf_done(&d->more);
    strbuf_done(&d->hist);
    free(d);
}

int jobstats_decoder_feed(struct jobstats_decoder *d, const void *data, size_t size,
                          struct err *err)
{
    d->err = err;
    int rc = json_reader_feed(&d->reader, data, size, err);
    d->err = NULL;
    return rc;
}

static int check_batch(const struct jobstats_decoder *d, struct err *err)
{
    if (!d->has_format)
        return err_set(err, EBADMSG, "no \"format\"");
    if (!d->has_targets)
        return err_set(err, EBADMSG, "no \"targets\"");
    if (d->has_agent != d->has_sequence)
        return err_set(err, EBADMSG, "\"agent\" and \"sequence\" belong together");
    return 0;
}

int jobstats_decoder_finish(struct jobstats_decoder *d, struct err *err)
{
    d->err = err;
    int rc = json_reader_finish(&d->reader, err);
    d->err = NULL;
    if (rc < 0)
        return rc;
    if (d->place == AT_BATCH && (rc = check_batch(d, err)) < 0)
        return rc;
    struct jobbatch *batch = d->batch;
    batch->has_id = d->has_agent;
    batch->agent = d->agent;
    batch->sequence = d->sequence;
    batch->server = d->server;
    for (size_t i = 0; i < batch->row_count; i++)
        batch->rows[i].server = d->server;
    return 0;
}

uint64_t jobstats_decoder_bad_count(const struct jobstats_decoder *d)
{
    return d->bad_count;
}

const struct jobstats_bad *jobstats_decoder_bad(const struct jobstats_decoder *d,
                                                size_t index)
{
    return &d->bad[index];
}

uint64_t jobstats_decoder_entry_of(const struct jobstats_decoder *d, size_t row)
{
    return d->entry_of[row];
}

uint64_t jobstats_decoder_unknown_count(const struct jobstats_decoder *d)
{
    return d->unknown_count;
}
