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

static const char *const aggregations[_AGGREGATION_COUNT] = {
    [AGGREGATION_SUM] = "sum",
    [AGGREGATION_AVG] = "avg",
    [AGGREGATION_COUNT] = "count",
    [AGGREGATION_MIN] = "min",
    [AGGREGATION_MAX] = "max",
    [AGGREGATION_GROUP] = "group",
    [AGGREGATION_STDDEV] = "stddev",
    [AGGREGATION_STDVAR] = "stdvar",
    [AGGREGATION_TOPK] = "topk",
    [AGGREGATION_BOTTOMK] = "bottomk",
    [AGGREGATION_COUNT_VALUES] = "count_values",
    [AGGREGATION_QUANTILE] = "quantile",
};

const char *operation_text(enum operation operation)
{
    return operations[operation];
}

const char *aggregation_text(enum aggregation aggregation)
{
    return aggregations[aggregation];
}

const struct expr *expr_unwrap(const struct expr *expr)
{
    while (expr->kind == EXPR_PAREN)
        expr = expr->inner;
    return expr;
}
