/* SPDX-License-Identifier: Apache-2.0 */
/* expr - the tree of one expression, each node with its type and its bytes of the text.
 *
 *     sum by (job) (rate(x{a="b"}[5m] offset 1h)) > bool 2
 *
 *     BINARY >                       type vector
 *     ├─ AGGREGATE sum by (job)      vector
 *     │  └─ CALL rate                vector
 *     │     └─ SELECTOR x[5m]        matrix
 *     └─ NUMBER 2                    scalar
 *
 * A tree stands in the arena that it was parsed into, does not change, and may be read
 * by any thread.
 */
#ifndef PROMQL_EXPR_H
#define PROMQL_EXPR_H

#include "promql/syntax/function.h"
#include "promql/syntax/labels.h"
#include "promql/syntax/matcher.h"

#define EXPR_DEPTH_MAX 128
#define EXPR_NODES_MAX 10000
#define EXPR_TEXT_MAX ((size_t)64 * 1024) /* bytes */

enum expr_kind {
    EXPR_NUMBER,
    EXPR_STRING,
    EXPR_SELECTOR, /* with range_ms > 0 a range of samples */
    EXPR_SUBQUERY,
    EXPR_PAREN,
    EXPR_UNARY,
    EXPR_BINARY,
    EXPR_AGGREGATE,
    EXPR_CALL,
};

enum operation {
    OPERATION_ADD,
    OPERATION_SUB,
    OPERATION_MUL,
    OPERATION_DIV,
    OPERATION_MOD,
    OPERATION_POW,
    OPERATION_ATAN2,
    OPERATION_EQ,
    OPERATION_NE,
    OPERATION_GT,
    OPERATION_LT,
    OPERATION_GE,
    OPERATION_LE,
    OPERATION_AND,
    OPERATION_OR,
    OPERATION_UNLESS,
    _OPERATION_COUNT,
};

enum aggregator {
    AGGREGATOR_SUM,
    AGGREGATOR_AVG,
    AGGREGATOR_COUNT,
    AGGREGATOR_MIN,
    AGGREGATOR_MAX,
    AGGREGATOR_GROUP,
    AGGREGATOR_STDDEV,
    AGGREGATOR_STDVAR,
    AGGREGATOR_TOPK,
    AGGREGATOR_BOTTOMK,
    AGGREGATOR_COUNT_VALUES,
    AGGREGATOR_QUANTILE,
    _AGGREGATOR_COUNT,
};

enum time_anchor { ANCHOR_NONE, ANCHOR_TIME, ANCHOR_START, ANCHOR_END };

/* Which time a selector or subquery reads: offset and @. */
struct time_shift {
    int64_t offset_ms;
    enum time_anchor anchor;
    int64_t anchor_ms; /* ANCHOR_TIME */
};

struct expr_selector {
    struct span metric; /* before the braces; empty: none */
    size_t matcher_count;
    const struct matcher *matchers; /* that of the metric's name is the last */
    int64_t range_ms;               /* 0: an instant */
    struct time_shift shift;
};

struct expr_subquery {
    const struct expr *inner;
    int64_t range_ms;
    int64_t step_ms; /* 0: the default */
    struct time_shift shift;
};

enum cardinality { ONE_TO_ONE, MANY_TO_ONE, ONE_TO_MANY, MANY_TO_MANY };

struct expr_binary {
    enum operation operation;
    const struct expr *left;
    const struct expr *right;
    bool returns_bool;
    bool has_matching; /* on or ignoring was written */
    bool is_on;
    enum cardinality cardinality;
    struct label_names matching;
    struct label_names include; /* of group_left and group_right */
};

struct expr_aggregate {
    enum aggregator aggregator;
    bool has_grouping;
    bool is_without;
    struct label_names grouping;
    const struct expr *parameter; /* NULL: none */
    const struct expr *inner;
};

struct expr_call {
    const struct function *function;
    size_t argument_count;
    const struct expr *const *arguments;
};

struct expr {
    enum expr_kind kind;
    enum value_type type;
    size_t begin, end; /* bytes of the text */
    unsigned depth;    /* a leaf has 1 */
    /* Equal at every step, because each selector in it has @. */
    bool is_step_invariant;
    union {
        double number;
        struct span string;
        struct expr_selector selector;
        struct expr_subquery subquery;
        const struct expr *inner; /* EXPR_PAREN */
        struct {
            bool is_minus;
            const struct expr *inner;
        } unary;
        struct expr_binary binary;
        struct expr_aggregate aggregate;
        struct expr_call call;
    };
};

/* The text of an operator or aggregation, as it is written. */
const char *operation_text(enum operation operation);
const char *aggregator_text(enum aggregator aggregator);

static inline bool operation_is_comparison(enum operation operation)
{
    return operation >= OPERATION_EQ && operation <= OPERATION_LE;
}

static inline bool operation_is_set(enum operation operation)
{
    return operation >= OPERATION_AND && operation <= OPERATION_UNLESS;
}

/* Whether the aggregation has a parameter before what it aggregates. */
static inline bool aggregator_has_parameter(enum aggregator aggregator)
{
    return aggregator >= AGGREGATOR_TOPK;
}

/* The expression within brackets around it. */
const struct expr *expr_unwrap(const struct expr *expr);

#endif
