/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats - the text of job_stats, entry by entry.
 *
 *     feed ──▶ lines, whole again ──▶ do_line ──▶ identifier, operation, time ──▶ entry
 *
 * A line does not live as long as its entry: what an entry points to is in the parser's
 * own buffers, the names of operations in its slots (op_slots.h).
 */
#include "source/lustre/jobstats.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "source/lustre/id_line.h"
#include "source/lustre/op_line.h"
#include "source/lustre/op_slots.h"
#include "source/lustre/text_line.h"

#include <errno.h>
#include <stdlib.h>

/* What is open is read again with each line that is put to it: so they are few. */
#define JOIN_LINES_MAX 32
#define ENTRY_TEXT_BYTES_MAX 32768 /* histograms and odd units of one entry */

/* A time before this (2001-09-09) is none of the epoch: Lustre is younger.  The same
 * number as an uptime is 31 years, which no server reaches; so it divides the two. */
#define EPOCH_NS_MIN (INT64_C(1000000000) * NS_PER_S)

enum text_state {
    TEXT_BARE, /* nothing has said yet what this is */
    TEXT_JOBSTATS,
    TEXT_OTHER, /* the value of another parameter */
};

enum entry_state {
    ENTRY_NONE,
    ENTRY_OPEN,
    ENTRY_LOST, /* its identifier is unreadable: its lines are passed over */
};

struct buffer {
    size_t size;
    char data[JOBSTATS_LINE_BYTES_MAX];
};

struct jobstats_parser {
    jobstats_entry_fn *entry_fn;
    jobstats_fault_fn *fault_fn;
    void *arg;
    int error; /* what entry_fn ended the parse with */
    struct jobstats_counts counts;

    uint64_t line; /* in this text */
    enum text_state text_state;
    bool is_last; /* the text ended in this line, without a line end */
    bool base_has_kind, has_kind;
    enum target_kind base_kind; /* as jobstats_parser_begin() said */
    struct span base_target;

    enum entry_state entry_state;
    bool awaits_field; /* nothing but the identifier was read */
    bool has_new_times;
    bool is_quoted;
    struct entry entry;
    size_t text_size;

    bool carry_too_long;
    size_t join_body;    /* where the operation's braces begin in join */
    uint64_t join_line;  /* where it began in the text */
    struct buffer carry; /* a line that is not whole yet */
    struct buffer join;  /* an operation that goes on in the next line */
    char base_target_text[TARGET_BYTES_MAX];
    char target_text[TARGET_BYTES_MAX];
    char id[ENTRY_ID_BYTES_MAX];
    char text[ENTRY_TEXT_BYTES_MAX];
    struct op_slots slots;
};

static void report(struct jobstats_parser *p, enum jobstats_fault fault,
                   struct span text)
{
    p->counts.faults[fault]++;
    if (p->fault_fn)
        p->fault_fn(p->arg, fault, p->line, text);
}

/* What stands in join is given up. */
static void join_drop(struct jobstats_parser *p, enum jobstats_fault fault)
{
    uint64_t line = p->line;
    p->line = p->join_line;
    report(p, fault, (struct span){ p->join.data, p->join.size });
    p->line = line;
    p->join.size = 0;
}

/* --- an entry ---------------------------------------------------- */

/* Where nothing has told the kind of target, its operations do. */
static enum target_kind guess_kind(const struct entry *entry)
{
    for (size_t i = 0; i < entry->op_count; i++) {
        int op = op_find(entry->ops[i].name);
        if (op == OP_NONE || op_is_on(op, TARGET_MDT) == op_is_on(op, TARGET_OST))
            continue;
        return op_is_on(op, TARGET_MDT) ? TARGET_MDT : TARGET_OST;
    }
    /* What 2.3 to 2.5 print of an OST, an MDT counts by now as well. */
    return TARGET_OST;
}

static int entry_end(struct jobstats_parser *p)
{
    enum entry_state state = p->entry_state;
    p->entry_state = ENTRY_NONE;
    p->join.size = 0;
    if (state != ENTRY_OPEN)
        return 0;
    struct entry *entry = &p->entry;
    /* From 2.15.2 on a server quotes each byte that it does not print as it is, the
     * question mark too: where its new times show such a server, an identifier
     * without quotes is exact as well. */
    if (p->is_quoted ||
        (p->has_new_times && !memchr(entry->id.data, '?', entry->id.size)))
        entry->flags |= ENTRY_ID_QUOTED;
    if (!p->has_kind)
        entry->kind = guess_kind(entry);
    if (entry->flags & ENTRY_BOOT_TIME)
        p->counts.boot_time++;
    p->counts.entries++;
    p->error = p->entry_fn(p->arg, entry);
    if (p->error > 0)
        p->error = 0;
    return p->error;
}

static void entry_lose(struct jobstats_parser *p, enum jobstats_fault kind,
                       struct span line)
{
    p->entry_state = ENTRY_LOST;
    p->counts.entries_dropped++;
    report(p, kind, line);
}

static int entry_begin(struct jobstats_parser *p, struct span line, struct span value)
{
    int rc = entry_end(p);
    if (rc < 0)
        return rc;
    p->text_state = TEXT_JOBSTATS;
    struct entry *entry = &p->entry;
    entry->flags = 0;
    entry->snapshot_ns = entry->start_ns = entry->elapsed_ns = T_NONE;
    entry->line = p->line;
    entry->op_count = 0;
    entry->id.data = p->id;
    p->text_size = 0;
    p->awaits_field = true;
    p->has_new_times = false;
    if (p->is_last)
        entry_lose(p, JOBSTATS_ENTRY_CUT, line);
    else if (id_line_decode(value, p->id, &entry->id.size, &p->is_quoted) < 0)
        entry_lose(p, JOBSTATS_BAD_ID, line);
    else
        p->entry_state = ENTRY_OPEN;
    return 0;
}

/* --- operations -------------------------------------------------- */

/* Copy s to where it lives as long as the entry. */
static bool keep_text(struct jobstats_parser *p, struct span *s)
{
    if (s->size > sizeof p->text - p->text_size)
        return false;
    char *to = p->text + p->text_size;
    memcpy(to, s->data, s->size);
    p->text_size += s->size;
    s->data = to;
    return true;
}

/* Returns false when there is no room for the operation's texts. */
static bool op_keep(struct jobstats_parser *p, struct op_stat *stat)
{
    static const struct span units[] = {
        [OP_UNIT_NONE] = { "", 0 },
        [OP_UNIT_REQS] = { "reqs", 4 },
        [OP_UNIT_BYTES] = { "bytes", 5 },
        [OP_UNIT_USECS] = { "usecs", 5 },
    };
    if (stat->unit != OP_UNIT_OTHER)
        stat->unit_text = units[stat->unit];
    else if (!keep_text(p, &stat->unit_text))
        return false;
    if (stat->hist.size == 0) {
        stat->hist.data = "";
        return true;
    }
    return keep_text(p, &stat->hist);
}

static void join_start(struct jobstats_parser *p, struct span line, size_t body)
{
    memcpy(p->join.data, line.data, line.size);
    p->join.size = line.size;
    p->join_body = body;
    p->join_line = p->line;
}

/* The slot of the next operation is right; line from body on stands in its braces. */
static void op_add(struct jobstats_parser *p, struct span line, size_t body)
{
    struct entry *entry = &p->entry;
    struct op_stat *stat = &entry->ops[entry->op_count];
    int rc = op_line_parse(span_skip(line, body), stat);
    if (rc == -EAGAIN) {
        if (line.data != p->join.data)
            join_start(p, line, body);
        return;
    }
    if (rc < 0 && line.data == p->join.data) {
        join_drop(p, JOBSTATS_BAD_OP);
        return;
    }
    p->join.size = 0;
    if (rc < 0) {
        report(p, JOBSTATS_BAD_OP, line);
        return;
    }
    stat->name = op_slots_name(&p->slots, entry->op_count);
    if (op_keep(p, stat))
        entry->op_count++;
    else
        report(p, JOBSTATS_TOO_MANY_OPS, line);
}

static void op_line(struct jobstats_parser *p, struct span line, struct span name,
                    size_t body)
{
    p->awaits_field = false;
    if (p->entry.op_count == ENTRY_OPS_MAX) {
        report(p, JOBSTATS_TOO_MANY_OPS, line);
        return;
    }
    struct span prefix = { line.data, body };
    if (op_slots_set(&p->slots, p->entry.op_count, name, prefix) < 0) {
        report(p, JOBSTATS_BAD_OP, line);
        return;
    }
    op_add(p, line, body);
}

/* The quick way: this line begins as it did in the entry before. */
static bool op_line_as_before(struct jobstats_parser *p, struct span line)
{
    size_t size = op_slots_match(&p->slots, p->entry.op_count, line);
    if (size == 0)
        return false;
    p->awaits_field = false;
    op_add(p, line, size);
    return true;
}

/* --- times ------------------------------------------------------- */

/* Returns where the time of that name belongs, or NULL. */
static int64_t *time_field(struct jobstats_parser *p, struct span name)
{
    if (span_is(name, "snapshot_time"))
        return &p->entry.snapshot_ns;
    if (span_is(name, "start_time"))
        return &p->entry.start_ns;
    if (span_is(name, "elapsed_time"))
        return &p->entry.elapsed_ns;
    return NULL;
}

static void time_line(struct jobstats_parser *p, struct span line, int64_t *where,
                      struct span value, bool is_column_0_form)
{
    struct entry *entry = &p->entry;
    struct span number = span_trim(value);
    bool has_decimals = memchr(number.data, '.', number.size) != NULL;
    for (size_t i = 0; i < number.size; i++)
        if (number.data[i] == ' ' || number.data[i] == '\t')
            number.size = i;
    p->awaits_field = false;
    if (p->is_last) {
        report(p, JOBSTATS_ENTRY_CUT, line);
        return;
    }
    int64_t t_ns;
    if (number_parse_seconds(number, &t_ns) < 0 || t_ns < 0) {
        report(p, JOBSTATS_BAD_TIME, line);
        return;
    }
    if (where == &entry->elapsed_ns) {
        *where = t_ns;
        return;
    }
    if (is_column_0_form || t_ns < EPOCH_NS_MIN) {
        entry->flags |= ENTRY_BOOT_TIME;
        *where = T_NONE;
        return;
    }
    *where = t_ns;
    if (has_decimals || where == &entry->start_ns)
        p->has_new_times = true;
}

/* --- lines that take the text apart ------------------------------ */

static void target_reset(struct jobstats_parser *p)
{
    p->entry.target = p->base_target;
    p->entry.kind = p->base_kind;
    p->has_kind = p->base_has_kind;
}

static void target_set(struct jobstats_parser *p, struct span line, struct span name)
{
    struct span target;
    p->has_kind = text_line_target(name, &target, &p->entry.kind);
    p->entry.target = (struct span){ p->target_text, 0 };
    if (target.size == 0) {
        report(p, JOBSTATS_LINE_STRAY, line);
        return;
    }
    memcpy(p->target_text, target.data, target.size);
    p->entry.target.size = target.size;
    p->counts.targets++;
}

static int do_line(struct jobstats_parser *p, struct span line);

static int param_line(struct jobstats_parser *p, struct span line, struct span name,
                      struct span value)
{
    int rc = entry_end(p);
    if (rc < 0)
        return rc;
    if (!text_line_is_job_stats(name)) {
        p->text_state = TEXT_OTHER;
        p->counts.other_lines++;
        target_reset(p);
        return 0;
    }
    p->text_state = TEXT_JOBSTATS;
    target_set(p, line, name);
    return span_trim(value).size > 0 ? do_line(p, value) : 0;
}

/* A line that nothing explains. */
static int stray_line(struct jobstats_parser *p, struct span line)
{
    bool is_empty = span_trim(line).size == 0;
    if (p->entry_state == ENTRY_LOST)
        return 0;
    if (p->entry_state == ENTRY_OPEN && p->awaits_field && !p->is_last) {
        /* Up to 2.7 a line end in an identifier is printed as it is. */
        p->entry.flags |= ENTRY_ID_CUT_LINE;
        report(p, JOBSTATS_LINE_STRAY, line);
        return 0;
    }
    if (is_empty)
        return 0;
    if (p->entry_state == ENTRY_OPEN && p->is_last) {
        report(p, JOBSTATS_ENTRY_CUT, line);
        return 0;
    }
    if (text_line_is_other(line)) {
        p->text_state = TEXT_OTHER;
        p->counts.other_lines++;
        target_reset(p);
        return entry_end(p);
    }
    report(p, JOBSTATS_LINE_STRAY, line);
    return 0;
}

/* A line of an open or lost entry. */
static int field_line(struct jobstats_parser *p, struct span line,
                      const struct text_field *field)
{
    if (p->entry_state == ENTRY_LOST)
        return 0;
    if (text_line_field_is_op(field)) {
        op_line(p, line, field->name, (size_t)(field->value.data + 1 - line.data));
        return 0;
    }
    int64_t *where = time_field(p, field->name);
    if (!where)
        return stray_line(p, line);
    time_line(p, line, where, field->value, field->blank_before_colon);
    return 0;
}

/* Does this line begin something of its own, so that an operation that was still open
 * is broken off? */
static bool begins_anew(struct jobstats_parser *p, struct span line)
{
    struct span name, value;
    struct text_field field;
    if (id_line_find(line, &value) || text_line_param(line, &name, &value))
        return true;
    if (!text_line_field(line, &field))
        return false;
    return time_field(p, field.name) ||
           (text_line_field_is_op(&field) && !span_is(field.name, "hist"));
}

/* Returns whether the line went onto the operation that is still open. */
static bool join_line(struct jobstats_parser *p, struct span line)
{
    struct buffer *join = &p->join;
    if (begins_anew(p, line) || p->line - p->join_line > JOIN_LINES_MAX) {
        join_drop(p, JOBSTATS_BAD_OP);
        return false;
    }
    if (line.size + 1 > sizeof join->data - join->size) {
        join_drop(p, JOBSTATS_LINE_TOO_LONG);
        return true;
    }
    join->data[join->size++] = ' ';
    memcpy(join->data + join->size, line.data, line.size);
    join->size += line.size;
    op_add(p, (struct span){ join->data, join->size }, p->join_body);
    return true;
}

/* Between an identifier and its first field no parameter can begin: there it is the
 * rest of an identifier with a line end in it, made to look like one. */
static bool is_param(struct jobstats_parser *p, struct span line, struct span *name,
                     struct span *value)
{
    bool may_begin = p->entry_state != ENTRY_OPEN || !p->awaits_field;
    return may_begin && text_line_param(line, name, value);
}

static int do_line(struct jobstats_parser *p, struct span line)
{
    struct span name, value;
    struct text_field field;
    if (p->entry_state == ENTRY_OPEN) {
        if (p->join.size > 0) {
            if (join_line(p, line))
                return 0;
        } else if (op_line_as_before(p, line)) {
            return 0;
        }
    }
    if (id_line_find(line, &value))
        return entry_begin(p, line, value);
    if (span_is(span_trim(line), "job_stats:")) {
        p->text_state = TEXT_JOBSTATS;
        return 0;
    }
    if (is_param(p, line, &name, &value))
        return param_line(p, line, name, value);
    if (p->entry_state != ENTRY_NONE && text_line_field(line, &field))
        return field_line(p, line, &field);
    if (p->text_state == TEXT_OTHER) {
        p->counts.other_lines++;
        return 0;
    }
    return stray_line(p, line);
}

/* line: the beginning of one that is over JOBSTATS_LINE_BYTES_MAX. */
static int do_long_line(struct jobstats_parser *p, struct span line)
{
    struct span name, value;
    struct span shown = { line.data, line.size < 80 ? line.size : 80 };
    if (p->join.size > 0)
        join_drop(p, JOBSTATS_BAD_OP);
    if (id_line_find(line, &value)) {
        int rc = entry_end(p);
        entry_lose(p, JOBSTATS_LINE_TOO_LONG, shown);
        return rc;
    }
    if (is_param(p, line, &name, &value)) {
        if (text_line_is_job_stats(name))
            report(p, JOBSTATS_LINE_TOO_LONG, shown);
        return param_line(p, shown, name, SPAN(""));
    }
    if (p->entry_state == ENTRY_NONE && p->text_state == TEXT_OTHER) {
        p->counts.other_lines++;
        return 0;
    }
    if (p->entry_state == ENTRY_OPEN && p->awaits_field)
        p->entry.flags |= ENTRY_ID_CUT_LINE;
    report(p, JOBSTATS_LINE_TOO_LONG, shown);
    return 0;
}

/* --- the text ---------------------------------------------------- */

static int count_line(struct jobstats_parser *p, struct span line)
{
    p->line++;
    p->counts.lines++;
    if (line.size > JOBSTATS_LINE_BYTES_MAX)
        return do_long_line(p, (struct span){ line.data, JOBSTATS_LINE_BYTES_MAX });
    return do_line(p, line);
}

static void carry_add(struct jobstats_parser *p, const char *data, size_t size)
{
    struct buffer *carry = &p->carry;
    size_t room = sizeof carry->data - carry->size;
    if (size > room) {
        p->carry_too_long = true;
        size = room;
    }
    memcpy(carry->data + carry->size, data, size);
    carry->size += size;
}

static int carry_end(struct jobstats_parser *p)
{
    struct span line = { p->carry.data, p->carry.size };
    p->carry.size = 0;
    if (!p->carry_too_long)
        return count_line(p, line);
    p->carry_too_long = false;
    p->line++;
    p->counts.lines++;
    return do_long_line(p, line);
}

int jobstats_parser_feed(struct jobstats_parser *p, const void *data, size_t size)
{
    const char *next = data;
    const char *end = next + size;
    p->counts.bytes += size;
    while (p->error == 0 && next < end) {
        const char *newline = memchr(next, '\n', (size_t)(end - next));
        size_t line_size = (size_t)((newline ? newline : end) - next);
        bool is_whole = p->carry.size == 0 && !p->carry_too_long;
        if (newline && is_whole) {
            count_line(p, (struct span){ next, line_size });
        } else {
            carry_add(p, next, line_size);
            if (newline)
                carry_end(p);
        }
        next += line_size + (newline ? 1 : 0);
    }
    return p->error;
}

static void text_reset(struct jobstats_parser *p)
{
    p->line = 0;
    p->text_state = TEXT_BARE;
    p->entry_state = ENTRY_NONE;
    p->is_last = false;
    p->carry.size = 0;
    p->carry_too_long = false;
    p->join.size = 0;
    target_reset(p);
}

int jobstats_parser_finish(struct jobstats_parser *p)
{
    if (p->error == 0 && (p->carry.size > 0 || p->carry_too_long)) {
        p->is_last = true;
        carry_end(p);
    }
    if (p->error == 0 && p->join.size > 0)
        join_drop(p, JOBSTATS_ENTRY_CUT);
    if (p->error == 0)
        entry_end(p);
    text_reset(p);
    return p->error;
}

void jobstats_parser_begin(struct jobstats_parser *p, struct span target,
                           enum target_kind kind)
{
    if (target.size > TARGET_BYTES_MAX)
        target.size = TARGET_BYTES_MAX;
    memcpy(p->base_target_text, target.data ? target.data : "", target.size);
    p->base_target = (struct span){ p->base_target_text, target.size };
    p->base_kind = kind;
    p->base_has_kind = true;
    text_reset(p);
}

int jobstats_parser_new(jobstats_entry_fn *entry_fn, jobstats_fault_fn *fault_fn,
                        void *arg, struct jobstats_parser **ret)
{
    struct jobstats_parser *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->entry_fn = entry_fn;
    p->fault_fn = fault_fn;
    p->arg = arg;
    p->base_target = (struct span){ p->base_target_text, 0 };
    text_reset(p);
    *ret = p;
    return 0;
}

void jobstats_parser_free(struct jobstats_parser *p)
{
    free(p);
}

const struct jobstats_counts *jobstats_parser_counts(const struct jobstats_parser *p)
{
    return &p->counts;
}

const char *jobstats_fault_name(enum jobstats_fault fault)
{
    static const char *const names[JOBSTATS_FAULT_COUNT] = {
        [JOBSTATS_LINE_TOO_LONG] = "line_too_long",
        [JOBSTATS_LINE_STRAY] = "line_stray",
        [JOBSTATS_BAD_OP] = "bad_op",
        [JOBSTATS_BAD_TIME] = "bad_time",
        [JOBSTATS_BAD_ID] = "bad_id",
        [JOBSTATS_TOO_MANY_OPS] = "too_many_ops",
        [JOBSTATS_ENTRY_CUT] = "entry_cut",
    };
    return names[fault];
}
