/* SPDX-License-Identifier: Apache-2.0 */
/* expr - the tree of one expression. */
#include "promql/syntax/expr.h"

static const char *const operations[_OPERATION_COUNT] = {
    [OPERATION_ADD] = "+",         [OPERATION_SUB] = "-",   [OPERATION_MUL] = "*",
    [OPERATION_DIV] = "/",         [OPERATION_MOD] = "%",   [OPERATION_POW] = "^",
    [OPERATION_ATAN2] = "atan2",   [OPERATION_EQ] = "==",   [OPERATION_NE] = "!=",
    [OPERATION_GT] = ">",          [OPERATION_LT] = "<",    [OPERATION_GE] = ">=",
    [OPERATION_LE] = "<=",         [OPERATION_AND] = "and", [OPERATION_OR] = "or",
    [OPERATION_UNLESS] = "unless",
};

static const char *const aggregators[_AGGREGATOR_COUNT] = {
    [AGGREGATOR_SUM] = "sum",
    [AGGREGATOR_AVG] = "avg",
    [AGGREGATOR_COUNT] = "count",
    [AGGREGATOR_MIN] = "min",
    [AGGREGATOR_MAX] = "max",
    [AGGREGATOR_GROUP] = "group",
    [AGGREGATOR_STDDEV] = "stddev",
    [AGGREGATOR_STDVAR] = "stdvar",
    [AGGREGATOR_TOPK] = "topk",
    [AGGREGATOR_BOTTOMK] = "bottomk",
    [AGGREGATOR_COUNT_VALUES] = "count_values",
    [AGGREGATOR_QUANTILE] = "quantile",
};

const char *operation_text(enum operation operation)
{
    return operations[operation];
}

const char *aggregator_text(enum aggregator aggregator)
{
    return aggregators[aggregator];
}

const struct expr *expr_unwrap(const struct expr *expr)
{
    while (expr->kind == EXPR_PAREN)
        expr = expr->inner;
    return expr;
}
