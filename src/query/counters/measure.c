/* SPDX-License-Identifier: Apache-2.0 */
/* measure - what is added up: one counter, or a few that people think of as one. */
#include "query/counters/measure.h"

#include "base/span.h"
#include "base/suggest.h"

#include <stdio.h>

#define BIT(op) (UINT64_C(1) << OP_##op)
#define BOTH_KINDS (1u << TARGET_MDT | 1u << TARGET_OST)
#define METADATA                                                                  \
    (BIT(OPEN) | BIT(CLOSE) | BIT(MKNOD) | BIT(LINK) | BIT(UNLINK) | BIT(MKDIR) | \
     BIT(RMDIR) | BIT(RENAME) | BIT(GETATTR) | BIT(SETATTR) | BIT(GETXATTR) |     \
     BIT(SETXATTR) | BIT(STATFS) | BIT(SYNC))
#define READ_WRITE (BIT(READ_BYTES) | BIT(WRITE_BYTES))

static const struct measure gathered[] = {
    { "metadata", "count", METADATA, 0, 1u << TARGET_MDT },
    { "iops", "count", READ_WRITE, 0, BOTH_KINDS },
};

static bool is_bytes(int op)
{
    return op == OP_READ_BYTES || op == OP_WRITE_BYTES;
}

/* "open", "open_usecs", "write_bytes", "write_bytes_count". */
static bool parse_one(struct span name, struct measure *ret)
{
    bool wants_count = span_ends(name, "_count");
    bool wants_usecs = span_ends(name, "_usecs");
    struct span op_text = name;
    if (wants_count || wants_usecs)
        op_text.size -= strlen("_count");
    int op = op_find(op_text);
    if (op == OP_NONE || (wants_count && !is_bytes(op)) ||
        (wants_usecs && is_bytes(op)))
        return false;
    bool wants_sum = wants_usecs || (is_bytes(op) && !wants_count);
    *ret = (struct measure){
        .unit = wants_usecs ? "usecs"
                : wants_sum ? "bytes"
                            : "count",
        .samples = wants_sum ? 0 : UINT64_C(1) << op,
        .sums = wants_sum ? UINT64_C(1) << op : 0,
        .kinds = BOTH_KINDS,
    };
    (void)snprintf(ret->name, sizeof ret->name, SPAN_FMT, SPAN_ARG(name));
    return true;
}

int measure_parse(struct span name, struct measure *ret, struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(gathered); i++) {
        if (!span_is(name, gathered[i].name))
            continue;
        *ret = gathered[i];
        return 0;
    }
    if (name.size < sizeof ret->name && parse_one(name, ret))
        return 0;
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (size_t i = 0; i < COUNT_OF(gathered); i++)
        suggest_offer(&suggest, span_of(gathered[i].name));
    for (int op = 0; op < OP_COUNT; op++)
        suggest_offer(&suggest, span_of(op_name((enum op)op)));
    (void)err_set(err, EINVAL,
                  "'" SPAN_FMT "' is not an operation: use write_bytes, read_bytes, "
                  "metadata, iops, or one of Lustre's (open, close, punch ...), with "
                  "_usecs for its time, write_bytes_count for requests",
                  SPAN_ARG(name));
    return suggest_add(&suggest, "", -EINVAL, err);
}

void measure_of_op(enum op op, struct measure *ret)
{
    (void)parse_one(span_of(op_name(op)), ret);
}

const char *measure_rate_unit(const struct measure *measure)
{
    if (strcmp(measure->unit, "bytes") == 0)
        return "bytes/s";
    if (strcmp(measure->unit, "usecs") == 0)
        return "usecs/s";
    return "1/s";
}
