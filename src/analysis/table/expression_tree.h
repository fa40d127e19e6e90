/* SPDX-License-Identifier: Apache-2.0 */
/* expression_tree - a formula as it was parsed; private to the room. */
#ifndef ANALYSIS_TABLE_EXPRESSION_TREE_H
#define ANALYSIS_TABLE_EXPRESSION_TREE_H

#include "analysis/table/expression.h"
#include "analysis/table/unit.h"

#define OPERANDS_MAX 8

enum op {
    OP_NUMBER,
    OP_TEXT,
    OP_COLUMN,
    OP_NEGATE,
    OP_NOT,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_AND,
    OP_OR,
    OP_IF,
    OP_MIN,
    OP_MAX,
    OP_ABS,
    OP_FLOOR,
    OP_LOG10,
    OP_MISSING,
    OP_CONTAINS,
    OP_STARTS,
    OP_BASENAME,
    OP_JOIN,
    OP_NUMBER_OF,
    OP_BYTES,
    OP_SECONDS,
    OP_TIME,
    OP_LOWER,
    OP_PART,
};

struct expression {
    enum op op;
    size_t operand_count;
    const struct expression *operands[OPERANDS_MAX];
    double number;
    struct unit unit; /* of a number */
    struct span text;
    int column;
    bool is_typed; /* of expression_parse_units(): a piece of a text is a text */
    size_t at;     /* where it begins: the n-th byte of the formula, from 1 */
};

/* As expression_parse(), where a number may have a unit: 64MiB, 10min, 2GB/s, 500/s,
 * 90%.  *err does not begin with the formula. */
int expression_parse_units(struct span text, expression_column_fn *column_fn, void *arg,
                           struct arena *arena, const struct expression **ret,
                           struct err *err);

#endif
