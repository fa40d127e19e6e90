/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_row - rows of a decoded batch -> entries -> the nested JSON form.
 *
 *     row   has_samples, has_sum      columns: samples and sum
 *           more  {"write_bytes":{"min":..},   beside a column: its extremes
 *                  "newop":{"samples":..}}     an operation without a column
 *
 * What the columns do not keep (whether "open" was counted in reqs or usecs, and by
 * which older name read_bytes was printed) no row keeps: the entry decodes to the same
 * row.
 */
#include "base/number.h"
#include "base/span.h"
#include "wire/jobstats_json.h"

/* An entry that is put together, and the operation of "more" that is open. */
struct entry_builder {
    struct entry *entry;
    struct arena *texts; /* names, units and histograms */
    const struct jobrow *row;
    uint64_t merged; /* bit OP_x: "more" has its extremes */
    struct op_stat op;
    struct span key;
};

static enum op_unit unit_of_column(enum op op)
{
    return op == OP_READ_BYTES || op == OP_WRITE_BYTES ? OP_UNIT_BYTES : OP_UNIT_REQS;
}

static struct op_stat column_of(const struct jobrow *row, enum op op)
{
    uint64_t bit = UINT64_C(1) << op;
    return (struct op_stat){
        .name = span_of(op_name(op)),
        .unit = unit_of_column(op),
        .has = (row->has_samples & bit ? OP_HAS_SAMPLES : 0) |
               (row->has_sum & bit ? OP_HAS_SUM : 0),
        .samples = row->samples[op],
        .sum = row->sum[op],
    };
}

static int add_op(struct entry_builder *b, const struct op_stat *op)
{
    if (b->entry->op_count == ENTRY_OPS_MAX)
        return -EMSGSIZE;
    b->entry->ops[b->entry->op_count++] = *op;
    return 0;
}

/* The column whose extremes the open operation is, or OP_NONE.  Extremes of a column
 * without samples are not decoded as such, and stay an operation of their own. */
static int column_of_extremes(const struct entry_builder *b)
{
    const unsigned own = OP_HAS_SAMPLES | OP_HAS_SUM;
    int op = op_find(b->op.name);
    if (op == OP_NONE || !b->op.has || b->op.has & own || b->op.unit != OP_UNIT_NONE)
        return OP_NONE;
    uint64_t bit = UINT64_C(1) << op;
    bool has_column = (b->row->has_samples | b->row->has_sum) & bit;
    bool is_empty = b->row->has_samples & bit && b->row->samples[op] == 0;
    return has_column && !is_empty && !(b->merged & bit) ? op : OP_NONE;
}

static int end_op(struct entry_builder *b)
{
    int column = column_of_extremes(b);
    if (column == OP_NONE)
        return add_op(b, &b->op);
    struct op_stat op = column_of(b->row, (enum op)column);
    op.has |= b->op.has;
    op.min = b->op.min;
    op.max = b->op.max;
    op.sumsq = b->op.sumsq;
    op.hist = b->op.hist;
    b->merged |= UINT64_C(1) << column;
    return add_op(b, &op);
}

/* A copy that lives as long as the entry. */
static int copy_text(struct entry_builder *b, struct span text, struct span *ret)
{
    const char *copy = arena_dup(b->texts, text);
    if (!copy)
        return -ENOMEM;
    *ret = (struct span){ copy, text.size };
    return 0;
}

static int read_text(struct entry_builder *b, struct span text)
{
    if (span_is(b->key, "hist")) {
        b->op.has |= OP_HAS_HIST;
        return copy_text(b, text, &b->op.hist);
    }
    b->op.unit = op_unit_parse(text);
    return copy_text(b, text, &b->op.unit_text);
}

static int read_number(struct entry_builder *b, struct span text)
{
    static const struct {
        const char *key;
        unsigned has;
        size_t offset;
    } members[] = {
        { "samples", OP_HAS_SAMPLES, offsetof(struct op_stat, samples) },
        { "min", OP_HAS_MIN, offsetof(struct op_stat, min) },
        { "max", OP_HAS_MAX, offsetof(struct op_stat, max) },
        { "sum", OP_HAS_SUM, offsetof(struct op_stat, sum) },
        { "sumsq", OP_HAS_SUMSQ, offsetof(struct op_stat, sumsq) },
    };
    uint64_t value;
    if (number_parse_u64(text, &value) < 0)
        return -EBADMSG;
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        if (!span_is(b->key, members[i].key))
            continue;
        b->op.has |= members[i].has;
        memcpy((char *)&b->op + members[i].offset, &value, sizeof value);
        return 0;
    }
    return -EBADMSG;
}

/* {"name":{"samples":1,"unit":"reqs",...},...} as jobrow_add_op writes it. */
static int read_more(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct entry_builder *b = arg;
    if (event == JSON_KEY && depth == 0) {
        b->op = (struct op_stat){ .unit = OP_UNIT_NONE };
        return copy_text(b, text, &b->op.name);
    }
    if (event == JSON_KEY && depth == 1)
        return copy_text(b, text, &b->key);
    if (event == JSON_STRING && depth == 2)
        return read_text(b, text);
    if (event == JSON_NUMBER && depth == 2)
        return read_number(b, text);
    if (event == JSON_OBJECT_END && depth == 1)
        return end_op(b);
    bool is_object = event == JSON_OBJECT || event == JSON_OBJECT_END;
    return is_object && depth < 2 ? 0 : -EBADMSG;
}

/* Which columns' extremes "more" has is known when it was read; their order in it is
 * the order of the operations, or it would decode to another text. */
static int add_ops(struct entry_builder *b)
{
    int rc = b->row->more.size ? json_read(b->row->more, read_more, b, NULL) : 0;
    uint64_t columns = (b->row->has_samples | b->row->has_sum) & ~b->merged;
    size_t others = b->entry->op_count, count = 0;
    if (rc < 0 || columns == 0)
        return rc;
    for (enum op op = 0; op < OP_COUNT; op++)
        count += columns >> op & 1;
    if (others + count > ENTRY_OPS_MAX)
        return -EMSGSIZE;
    /* Columns come first: one that "more" has again is known then as the second. */
    memmove(b->entry->ops + count, b->entry->ops, others * sizeof b->entry->ops[0]);
    b->entry->op_count = 0;
    for (enum op op = 0; op < OP_COUNT; op++)
        if (columns >> op & 1)
            b->entry->ops[b->entry->op_count++] = column_of(b->row, op);
    b->entry->op_count += others;
    return 0;
}

int jobstats_encode_row(struct jobstats_encoder *e, const struct jobrow *row,
                        struct arena *scratch)
{
    arena_reset(scratch);
    struct entry *entry = arena_alloc(scratch, sizeof *entry);
    if (!entry)
        return -ENOMEM;
    *entry = (struct entry){
        .target = row->target,
        .kind = row->kind,
        .id = row->entry_id,
        .flags = row->id_exact ? ENTRY_ID_QUOTED : 0,
        .snapshot_ns = row->snapshot_ns,
        .start_ns = row->start_ns,
        .elapsed_ns = T_NONE,
    };
    struct entry_builder builder = { .entry = entry, .texts = scratch, .row = row };
    int rc = add_ops(&builder);
    if (rc < 0)
        return rc;
    const struct observation seen = {
        .t_ms = row->t_ms,
        .since_ms = row->since_ms,
        .previous_ms = row->previous_ms,
        .reset = row->reset == RESET_YES,
        .is_doubtful = row->reset == RESET_UNKNOWN,
    };
    jobstats_encode_entry(e, entry, &seen);
    return strbuf_error(e->out);
}
