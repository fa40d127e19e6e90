/* SPDX-License-Identifier: Apache-2.0 */
/* op - the operations that Lustre counts, and which column each lands in. */
#include "model/op.h"

#include "base/span.h"

static const struct {
    const char *name;
    bool on_mdt, on_ost, seed_sum;
} ops[OP_COUNT] = {
#define X(id, name, mdt, ost, sum) [OP_##id] = { name, mdt, ost, sum },
    OP_TABLE(X)
#undef X
};

const char *op_name(enum op op)
{
    return ops[op].name;
}

bool op_is_on(enum op op, enum target_kind kind)
{
    return kind == TARGET_MDT ? ops[op].on_mdt : ops[op].on_ost;
}

bool op_seed_wants_sum(enum op op)
{
    return ops[op].seed_sum;
}

int op_find(struct span name)
{
    for (int i = 0; i < OP_COUNT; i++)
        if (span_is(name, ops[i].name))
            return i;
    return OP_NONE;
}

static const char *const unit_names[] = {
    [OP_UNIT_NONE] = "",       [OP_UNIT_REQS] = "reqs",   [OP_UNIT_BYTES] = "bytes",
    [OP_UNIT_USECS] = "usecs", [OP_UNIT_OTHER] = "other",
};

enum op_unit op_unit_parse(struct span text)
{
    if (text.size == 0)
        return OP_UNIT_NONE;
    for (enum op_unit u = OP_UNIT_REQS; u < OP_UNIT_OTHER; u++)
        if (span_is(text, unit_names[u]))
            return u;
    return OP_UNIT_OTHER;
}

const char *op_unit_name(enum op_unit unit)
{
    return unit_names[unit];
}

int op_column(struct span name, enum op_unit unit)
{
    int op = op_find(name);
    switch (op) {
    case OP_NONE:
        return OP_NONE;
    case OP_READ_BYTES:
    case OP_WRITE_BYTES:
        return unit == OP_UNIT_BYTES || unit == OP_UNIT_REQS ? op : OP_NONE;
    case OP_READ:
    case OP_WRITE:
        if (unit == OP_UNIT_BYTES)
            return op == OP_READ ? OP_READ_BYTES : OP_WRITE_BYTES;
        break;
    default:
        break;
    }
    return unit == OP_UNIT_REQS || unit == OP_UNIT_USECS ? op : OP_NONE;
}

const char *target_kind_name(enum target_kind kind)
{
    return kind == TARGET_MDT ? "mdt" : "ost";
}
