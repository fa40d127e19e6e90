/* SPDX-License-Identifier: Apache-2.0 */
/* jobrow - one observation of one entry's counters, and batches of them. */
#include "model/jobrow.h"

#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>

enum { ROWS_AT_FIRST = 64 };

/* Members with numbers, put together aside and added at once: this runs for each
 * operation of each entry that is taken in. */
struct numbers {
    size_t size;
    char text[5 * (NUMBER_DIGITS_MAX + sizeof ",\"samples\":")];
};

static void put_number(struct numbers *n, const char *key, size_t key_size,
                       uint64_t value)
{
    memcpy(n->text + n->size, key, key_size);
    n->size += key_size;
    n->size += number_print_u64(n->text + n->size, value);
}

#define PUT_NUMBER(n, key, value) \
    put_number((n), ",\"" key "\":", sizeof(",\"" key "\":") - 1, (value))

static void add_numbers(struct strbuf *more, const struct numbers *n)
{
    bool is_first = more->size && more->data[more->size - 1] == '{';
    if (n->size)
        strbuf_add(more, n->text + is_first, n->size - is_first);
}

static void add_string(struct strbuf *more, struct span text)
{
    struct json_writer w;
    json_writer_init(&w, more);
    json_span(&w, text);
}

static void add_text(struct strbuf *more, const char *key, struct span text)
{
    char last = more->size ? more->data[more->size - 1] : '{';
    if (last != '{')
        strbuf_addc(more, ',');
    add_string(more, span_of(key));
    strbuf_addc(more, ':');
    add_string(more, text);
}

/* Begin the member called name; false when it stands there already: an operation that
 * is printed twice counts once. */
static bool open_member(struct strbuf *more, struct span name)
{
    size_t before = more->size;
    strbuf_addc(more, before ? ',' : '{');
    size_t key_at = more->size;
    add_string(more, name);
    strbuf_add(more, ":{", 2);
    if (strbuf_error(more) < 0)
        return false;
    if (before &&
        memmem(more->data, before, more->data + key_at, more->size - key_at)) {
        more->size = before;
        more->data[before] = '\0';
        return false;
    }
    return true;
}

/* The parts of stat that has names, as the member called name. */
static void add_member(struct strbuf *more, struct span name,
                       const struct op_stat *stat, unsigned has, struct span unit)
{
    if (!open_member(more, name))
        return;
    struct numbers n = { .size = 0 };
    if (has & OP_HAS_SAMPLES)
        PUT_NUMBER(&n, "samples", stat->samples);
    if (unit.size) {
        add_numbers(more, &n);
        n.size = 0;
        add_text(more, "unit", unit);
    }
    if (has & OP_HAS_MIN)
        PUT_NUMBER(&n, "min", stat->min);
    if (has & OP_HAS_MAX)
        PUT_NUMBER(&n, "max", stat->max);
    if (has & OP_HAS_SUM)
        PUT_NUMBER(&n, "sum", stat->sum);
    if (has & OP_HAS_SUMSQ)
        PUT_NUMBER(&n, "sumsq", stat->sumsq);
    add_numbers(more, &n);
    if (has & OP_HAS_HIST)
        add_text(more, "hist", stat->hist);
    strbuf_addc(more, '}');
}

static struct span unit_of(const struct op_stat *stat)
{
    if (stat->unit == OP_UNIT_OTHER)
        return stat->unit_text;
    return span_of(op_unit_name(stat->unit));
}

static void add_column(struct jobrow *row, enum op op, const struct op_stat *stat)
{
    uint64_t bit = UINT64_C(1) << op;
    if (stat->has & OP_HAS_SAMPLES) {
        row->has_samples |= bit;
        row->samples[op] = stat->samples;
    }
    if (stat->has & OP_HAS_SUM) {
        row->has_sum |= bit;
        row->sum[op] = stat->sum;
    }
}

void jobrow_add_op(struct jobrow *row, const struct op_stat *stat, struct strbuf *more)
{
    unsigned has = stat->has;
    if (stat->hist.size == 0)
        has &= ~(unsigned)OP_HAS_HIST;
    int op = op_column(stat->name, stat->unit);
    if (op != OP_NONE && stat->has & OP_HAS_SAMPLES && stat->samples == 0)
        has &= OP_HAS_SAMPLES | OP_HAS_SUM; /* extremes of nothing */
    bool is_free = op != OP_NONE && !((row->has_samples | row->has_sum) >> op & 1);
    if (!is_free) {
        add_member(more, stat->name, stat, has, unit_of(stat));
        return;
    }
    add_column(row, (enum op)op, stat);
    has &= OP_HAS_MIN | OP_HAS_MAX | OP_HAS_SUMSQ | OP_HAS_HIST;
    if (has)
        add_member(more, span_of(op_name((enum op)op)), stat, has, SPAN(""));
}

int jobrow_set_more(struct jobrow *row, struct strbuf *more, struct arena *arena)
{
    if (strbuf_error(more) < 0)
        return strbuf_error(more);
    if (more->size == 0) {
        row->more = (struct span){ 0 };
        return 0;
    }
    strbuf_addc(more, '}');
    char *text = strbuf_error(more) < 0 ? NULL : arena_dup(arena, strbuf_span(more));
    if (!text)
        return -ENOMEM;
    row->more = (struct span){ text, more->size };
    strbuf_clear(more);
    return 0;
}

bool jobrow_same_counters(const struct jobrow *a, const struct jobrow *b)
{
    /* What is not there is zero in both arrays, so that an operation which an upgrade
     * adds with zero samples is no change. */
    return memcmp(a->samples, b->samples, sizeof a->samples) == 0 &&
           memcmp(a->sum, b->sum, sizeof a->sum) == 0 && span_eq(a->more, b->more);
}

void jobbatch_init(struct jobbatch *batch, size_t bytes_max)
{
    *batch = (struct jobbatch){ 0 };
    arena_init(&batch->arena, bytes_max);
}

void jobbatch_done(struct jobbatch *batch)
{
    arena_done(&batch->arena);
    *batch = (struct jobbatch){ 0 };
}

static int grow(struct jobbatch *batch)
{
    size_t capacity = batch->row_capacity ? batch->row_capacity * 2 : ROWS_AT_FIRST;
    if (capacity > JOBBATCH_ROWS_MAX)
        capacity = JOBBATCH_ROWS_MAX;
    if (capacity == batch->row_count)
        return -EMSGSIZE;
    struct jobrow *rows = arena_alloc(&batch->arena, capacity * sizeof *rows);
    if (!rows)
        return -ENOMEM;
    if (batch->row_count)
        memcpy(rows, batch->rows, batch->row_count * sizeof *rows);
    batch->rows = rows;
    batch->row_capacity = capacity;
    return 0;
}

struct jobrow *jobbatch_add_row(struct jobbatch *batch)
{
    if (batch->row_count == batch->row_capacity && grow(batch) < 0)
        return NULL;
    struct jobrow *row = &batch->rows[batch->row_count++];
    *row = (struct jobrow){
        .t_ms = T_NONE,
        .since_ms = T_NONE,
        .previous_ms = T_NONE,
        .snapshot_ns = T_NONE,
        .start_ns = T_NONE,
    };
    return row;
}

int64_t jobrow_reach_ms(const struct jobrow *row)
{
    int64_t reach_ms = row->t_ms;
    if (row->previous_ms != T_NONE && row->previous_ms < reach_ms)
        reach_ms = row->previous_ms;
    int64_t start_ms = row->start_ns == T_NONE ? T_NONE : row->start_ns / NS_PER_MS;
    bool has_since = row->since_ms != T_NONE && row->reset == RESET_YES;
    if (!has_since && start_ms != T_NONE && start_ms >= 0 && start_ms < reach_ms)
        reach_ms = start_ms;
    return reach_ms;
}
