/* SPDX-License-Identifier: Apache-2.0 */
/* entry_columns - what can be shown of one entry of job_stats: one row of a table each.
 */
#include "source/lustre/entry_columns.h"

#include "base/cleanup.h"
#include "base/span.h"

#define JSON ENTRY_FORM_JSON
#define CSV ENTRY_FORM_CSV
#define TABLE ENTRY_FORM_TABLE

/* ---- values ---- */

static void bytes_value(struct span bytes, struct entry_value *ret)
{
    if (bytes.size > 0)
        *ret = (struct entry_value){ .kind = ENTRY_VALUE_BYTES, .bytes = bytes };
}

static void seconds_value(int64_t t_ns, struct entry_value *ret)
{
    if (t_ns != T_NONE)
        *ret = (struct entry_value){ .kind = ENTRY_VALUE_SECONDS, .t_ns = t_ns };
}

static void count_value(uint64_t count, struct entry_value *ret)
{
    *ret = (struct entry_value){ .kind = ENTRY_VALUE_COUNT, .count = count };
}

/* ---- of an entry ---- */

static void target_get(const struct entry_view *view, struct entry_value *ret)
{
    bytes_value(view->entry->target, ret);
}

static void entry_id_get(const struct entry_view *view, struct entry_value *ret)
{
    bytes_value(view->entry->id, ret);
}

static void job_get(const struct entry_view *view, struct entry_value *ret)
{
    bytes_value(view->split->fields[ENTRY_JOB], ret);
}

static void user_get(const struct entry_view *view, struct entry_value *ret)
{
    bytes_value(view->split->fields[ENTRY_USER], ret);
    if (ret->kind == ENTRY_VALUE_BYTES)
        ret->kind = ENTRY_VALUE_NUMBER;
}

static void group_get(const struct entry_view *view, struct entry_value *ret)
{
    bytes_value(view->split->fields[ENTRY_GROUP], ret);
    if (ret->kind == ENTRY_VALUE_BYTES)
        ret->kind = ENTRY_VALUE_NUMBER;
}

static void node_get(const struct entry_view *view, struct entry_value *ret)
{
    bytes_value(view->split->fields[ENTRY_HOST], ret);
}

static void executable_get(const struct entry_view *view, struct entry_value *ret)
{
    bytes_value(view->split->fields[ENTRY_EXECUTABLE], ret);
}

/* The flags of the text and of the split together, by their names. */
static void flags_get(const struct entry_view *view, struct entry_value *ret)
{
    *ret = (struct entry_value){ .kind = ENTRY_VALUE_FLAGS };
    for (unsigned bit = 1; bit <= SPLIT_MAYBE_REPLACED; bit <<= 1)
        if (view->split->flags & bit)
            ret->flags.names[ret->flags.count++] = entry_split_flag_name(bit);
    if (view->entry->flags & ENTRY_BOOT_TIME)
        ret->flags.names[ret->flags.count++] = "boot_time";
    if (view->entry->flags & ENTRY_ID_CUT_LINE)
        ret->flags.names[ret->flags.count++] = "cut_at_line_end";
}

static void snapshot_get(const struct entry_view *view, struct entry_value *ret)
{
    seconds_value(view->entry->snapshot_ns, ret);
}

static void start_get(const struct entry_view *view, struct entry_value *ret)
{
    seconds_value(view->entry->start_ns, ret);
}

static void elapsed_get(const struct entry_view *view, struct entry_value *ret)
{
    seconds_value(view->entry->elapsed_ns, ret);
}

/* Calls that the server counted: the lines about sizes count calls that other lines
 * count as well, unless they are all that there is. */
static void requests_get(const struct entry_view *view, struct entry_value *ret)
{
    const struct entry *entry = view->entry;
    bool has_calls = entry_find_op(entry, SPAN("read")) != NULL;
    uint64_t requests = 0;
    for (size_t i = 0; i < entry->op_count; i++) {
        const struct op_stat *op = &entry->ops[i];
        if (!has_calls || !span_ends(op->name, "_bytes"))
            requests += op->samples;
    }
    count_value(requests, ret);
}

/* null where the server printed no sum: 0 would be a claim. */
static void bytes_of_op(const struct entry *entry, enum op op, struct entry_value *ret)
{
    for (size_t i = 0; i < entry->op_count; i++)
        if (op_column(entry->ops[i].name, entry->ops[i].unit) == (int)op &&
            entry->ops[i].has & OP_HAS_SUM)
            count_value(entry->ops[i].sum, ret);
}

static void read_get(const struct entry_view *view, struct entry_value *ret)
{
    bytes_of_op(view->entry, OP_READ_BYTES, ret);
}

static void written_get(const struct entry_view *view, struct entry_value *ret)
{
    bytes_of_op(view->entry, OP_WRITE_BYTES, ret);
}

/* In the order in which they are shown. */
const struct entry_column entry_columns[] = {
    { "target", JSON | CSV | TABLE, TABLE_TEXT, "", target_get },
    { "entry_id", JSON | CSV | TABLE, TABLE_TEXT, "", entry_id_get },
    { "job_id", JSON | CSV | TABLE, TABLE_TEXT, "", job_get },
    { "user_id", JSON | CSV | TABLE, TABLE_TEXT, "", user_get },
    { "group_id", JSON | CSV | TABLE, TABLE_TEXT, "", group_get },
    { "nodename", JSON | CSV | TABLE, TABLE_TEXT, "", node_get },
    { "executable", JSON | CSV | TABLE, TABLE_TEXT, "", executable_get },
    { "flags", JSON | CSV | TABLE, TABLE_TEXT, "", flags_get },
    { "snapshot_time", JSON | CSV, TABLE_TEXT, "", snapshot_get },
    { "snapshot_time", TABLE, TABLE_TIME, "", snapshot_get },
    { "start_time", JSON | CSV, TABLE_TEXT, "", start_get },
    { "elapsed_time", JSON | CSV, TABLE_TEXT, "", elapsed_get },
    { "requests", TABLE, TABLE_U64, "", requests_get },
    { "read", TABLE, TABLE_U64, "bytes", read_get },
    { "written", TABLE, TABLE_U64, "bytes", written_get },
};
const size_t entry_column_count = COUNT_OF(entry_columns);

/* ---- of an operation ---- */

static void op_name_get(const struct entry_view *view, struct entry_value *ret)
{
    bytes_value(view->op->name, ret);
}

static void unit_get(const struct entry_view *view, struct entry_value *ret)
{
    if (view->op->unit != OP_UNIT_NONE)
        bytes_value(view->op->unit_text, ret);
}

/* In a number's own words where it is none that is known. */
static void unit_text_get(const struct entry_view *view, struct entry_value *ret)
{
    bytes_value(view->op->unit_text, ret);
}

static void samples_get(const struct entry_view *view, struct entry_value *ret)
{
    if (view->op->has & OP_HAS_SAMPLES)
        count_value(view->op->samples, ret);
}

static void min_get(const struct entry_view *view, struct entry_value *ret)
{
    if (view->op->has & OP_HAS_MIN)
        count_value(view->op->min, ret);
}

static void max_get(const struct entry_view *view, struct entry_value *ret)
{
    if (view->op->has & OP_HAS_MAX)
        count_value(view->op->max, ret);
}

static void sum_get(const struct entry_view *view, struct entry_value *ret)
{
    if (view->op->has & OP_HAS_SUM)
        count_value(view->op->sum, ret);
}

static void sumsq_get(const struct entry_view *view, struct entry_value *ret)
{
    if (view->op->has & OP_HAS_SUMSQ)
        count_value(view->op->sumsq, ret);
}

/* Present and empty is an empty object in JSON. */
static void hist_get(const struct entry_view *view, struct entry_value *ret)
{
    if (view->op->has & OP_HAS_HIST)
        *ret =
            (struct entry_value){ .kind = ENTRY_VALUE_HIST, .bytes = view->op->hist };
}

/* In JSON the name is the key, and what is null is left out. */
const struct entry_column entry_op_columns[] = {
    { "op", CSV, TABLE_TEXT, "", op_name_get },
    { "unit", CSV, TABLE_TEXT, "", unit_text_get },
    { "samples", JSON | CSV, TABLE_U64, "", samples_get },
    { "unit", JSON, TABLE_TEXT, "", unit_get },
    { "min", JSON | CSV, TABLE_U64, "", min_get },
    { "max", JSON | CSV, TABLE_U64, "", max_get },
    { "sum", JSON | CSV, TABLE_U64, "", sum_get },
    { "sumsq", JSON | CSV, TABLE_U64, "", sumsq_get },
    { "hist", JSON | CSV, TABLE_TEXT, "", hist_get },
};
const size_t entry_op_column_count = COUNT_OF(entry_op_columns);
