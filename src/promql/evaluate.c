/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate - the value of an expression at every step of a grid. */
#include "promql/evaluate.h"

#include "base/span.h"
#include "promql/aggregate.h"
#include "promql/arithmetic.h"
#include "promql/binary.h"
#include "promql/select.h"
#include "promql/vector_function.h"

#include <assert.h>
#include <stdlib.h>

#define ARGUMENTS_MAX 64

static int evaluate_number(struct evaluation *ev, double number,
                           const struct step_grid *grid, struct value *ret)
{
    int rc = value_init_scalar(ret, ev, grid->count);
    for (size_t i = 0; i < grid->count && rc == 0; i++)
        ret->scalars[i] = number;
    return rc;
}

static int evaluate_selector(struct evaluation *ev, const struct expr *e,
                             const struct step_grid *grid, enum instant_value what,
                             struct value *ret)
{
    value_init_vector(ret, ev, grid->count);
    int rc = select_instants(ev, e, grid, what, &ret->rows);
    if (rc == 0 && what == INSTANT_TIME)
        rc = row_set_drop_names(&ret->rows, ROWS_BY_STEP);
    return rc;
}

static void negate(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_absent(values[i]))
            values[i] = -values[i];
}

static int evaluate_unary(struct evaluation *ev, const struct expr *e,
                          const struct step_grid *grid, struct value *ret)
{
    int rc = evaluate(ev, e->unary.inner, grid, ret);
    if (rc < 0 || !e->unary.is_minus)
        return rc;
    if (ret->type == TYPE_SCALAR) {
        negate(ret->scalars, grid->count);
        return 0;
    }
    for (size_t r = 0; r < ret->rows.count; r++)
        negate(ret->rows.rows[r].values, grid->count);
    return row_set_drop_names(&ret->rows, ROWS_WHOLE);
}

static int evaluate_binary(struct evaluation *ev, const struct expr *e,
                           const struct step_grid *grid, struct value *ret)
{
    const struct expr_binary *b = &e->binary;
    AUTO(value_done) struct value left = { 0 };
    AUTO(value_done) struct value right = { 0 };
    int rc = evaluate(ev, b->left, grid, &left);
    if (rc == 0)
        rc = evaluate(ev, b->right, grid, &right);
    if (rc < 0)
        return rc;
    struct value *result = left.type == TYPE_SCALAR ? &right : &left;
    if (left.type == TYPE_SCALAR && right.type == TYPE_SCALAR) {
        for (size_t i = 0; i < grid->count; i++)
            right.scalars[i] =
                operation_of_scalars(b->operation, left.scalars[i], right.scalars[i]);
    } else if (left.type == TYPE_SCALAR) {
        rc = binary_with_scalar(b, &right.rows, left.scalars, SCALAR_LEFT);
    } else if (right.type == TYPE_SCALAR) {
        rc = binary_with_scalar(b, &left.rows, right.scalars, SCALAR_RIGHT);
    } else if (operation_is_set(b->operation)) {
        rc = binary_set(b, &left.rows, &right.rows);
    } else {
        value_init_vector(ret, ev, grid->count);
        return binary_matched(b, &left.rows, &right.rows, &ret->rows);
    }
    *ret = *result;
    *result = (struct value){ 0 };
    return rc;
}

static int evaluate_aggregate(struct evaluation *ev, const struct expr *e,
                              const struct step_grid *grid, struct value *ret)
{
    AUTO(value_done) struct value parameter = { 0 };
    AUTO(value_done) struct value inner = { 0 };
    int rc = 0;
    if (e->aggregate.parameter)
        rc = evaluate(ev, e->aggregate.parameter, grid, &parameter);
    if (rc == 0)
        rc = evaluate(ev, e->aggregate.inner, grid, &inner);
    if (rc < 0)
        return rc;
    value_init_vector(ret, ev, grid->count);
    return aggregate_rows(&e->aggregate, &inner.rows, parameter.scalars,
                          parameter.string, &ret->rows);
}

/* The first time at or after the one given that is a multiple of the step; as
 * Prometheus divides, towards zero first. */
static int64_t aligned_after(int64_t t_ms, int64_t step_ms)
{
    int64_t start = step_ms * (t_ms / step_ms);
    return start < t_ms ? start + step_ms : start;
}

int evaluate_subquery(struct evaluation *ev, const struct expr *e,
                      const struct step_grid *grid, struct step_grid *ret_grid,
                      struct value *ret)
{
    const struct expr_subquery *s = &e->subquery;
    int64_t step_ms = s->step_ms ? s->step_ms : ev->request->subquery_step_ms;
    int64_t first = select_time(ev, &s->shift, grid->start_ms) - s->range_ms;
    int64_t last = select_time(ev, &s->shift, step_time(grid, grid->count - 1));
    struct step_grid inner = { aligned_after(first, step_ms), step_ms, 0 };
    if (last >= inner.start_ms)
        inner.count = (size_t)((last - inner.start_ms) / step_ms) + 1;
    *ret_grid = inner;
    if (inner.count == 0) {
        value_init_vector(ret, ev, 0);
        return 0;
    }
    int rc = evaluation_charge(ev, inner.count);
    return rc < 0 ? rc : evaluate(ev, s->inner, &inner, ret);
}

static int windows_of_subquery(struct evaluation *ev, const struct expr *e,
                               const struct step_grid *grid,
                               const struct window_call *call, struct row_set *set)
{
    AUTO(value_done) struct value inner = { 0 };
    struct step_grid steps;
    int rc = evaluate_subquery(ev, e, grid, &steps, &inner);
    if (rc < 0)
        return rc;
    AUTO_FREE int64_t *times = calloc(steps.count + 1, sizeof *times);
    AUTO_FREE double *values = calloc(steps.count + 1, sizeof *values);
    if (!times || !values)
        return evaluation_no_memory(ev);
    for (size_t r = 0; r < inner.rows.count && rc == 0; r++) {
        const struct row *from = &inner.rows.rows[r];
        struct promql_samples samples = { 0, times, values };
        struct row *row = NULL;
        for (size_t i = 0; i < steps.count; i++) {
            if (is_absent(from->values[i]))
                continue;
            times[samples.count] = step_time(&steps, i);
            values[samples.count++] = from->values[i];
        }
        rc = row_set_add(set, &from->labels, &row);
        if (rc == 0)
            rc = window_call_run(ev, call, grid, &samples, row->values);
        if (rc == 0 && !row_has_values(set, row))
            set->count--;
    }
    return rc;
}

static int run_windows(struct evaluation *ev, const struct expr *argument,
                       const struct step_grid *grid, struct window_call *call,
                       struct row_set *set)
{
    const struct expr *e = expr_unwrap(argument);
    if (e->kind == EXPR_SELECTOR) {
        call->range_ms = e->selector.range_ms;
        call->shift = e->selector.shift;
        return select_windows(ev, e, grid, call, set);
    }
    call->range_ms = e->subquery.range_ms;
    call->shift = e->subquery.shift;
    return windows_of_subquery(ev, e, grid, call, set);
}

static int evaluate_windows(struct evaluation *ev, const struct expr *e,
                            const struct step_grid *grid, struct value *ret)
{
    enum function_id id = e->call.function->id;
    AUTO(value_done) struct value first = { 0 };
    AUTO(value_done) struct value second = { 0 };
    struct value *parameters[] = { &first, &second };
    struct window_call call = { .fn = window_function(id) };
    const struct expr *range = NULL;
    size_t count = 0;
    int rc = 0;
    for (size_t i = 0; i < e->call.argument_count && rc == 0; i++) {
        if (e->call.arguments[i]->type == TYPE_MATRIX) {
            range = e->call.arguments[i];
            continue;
        }
        rc = evaluate(ev, e->call.arguments[i], grid, parameters[count]);
        call.parameters[count] = parameters[count]->scalars;
        count++;
    }
    if (rc < 0)
        return rc;
    assert(range); /* the type check found one */
    AUTO(value_done) struct value rows = { 0 };
    value_init_vector(&rows, ev, grid->count);
    rc = run_windows(ev, range, grid, &call, &rows.rows);
    if (rc == 0 && id == FUNCTION_ABSENT_OVER_TIME)
        return vector_absent(ev, range, &rows.rows, ret);
    if (rc == 0 && id != FUNCTION_LAST_OVER_TIME)
        rc = row_set_drop_names(&rows.rows, ROWS_WHOLE);
    *ret = rows;
    rows = (struct value){ 0 };
    return rc;
}

static int evaluate_call(struct evaluation *ev, const struct expr *e,
                         const struct step_grid *grid, struct value *ret)
{
    const struct expr_call *call = &e->call;
    if (window_function(call->function->id))
        return evaluate_windows(ev, e, grid, ret);
    if (call->function->id == FUNCTION_TIMESTAMP) {
        const struct expr *argument = expr_unwrap(call->arguments[0]);
        if (argument->kind == EXPR_SELECTOR)
            return evaluate_selector(ev, argument, grid, INSTANT_TIME, ret);
    }
    struct value arguments[ARGUMENTS_MAX] = { 0 };
    int rc = 0;
    for (size_t i = 0; i < call->argument_count && rc == 0; i++)
        rc = evaluate(ev, call->arguments[i], grid, &arguments[i]);
    if (rc == 0)
        rc = vector_function(ev, call, grid, arguments, ret);
    for (size_t i = 0; i < call->argument_count; i++)
        value_done(&arguments[i]);
    return rc;
}

static int evaluate_kind(struct evaluation *ev, const struct expr *e,
                         const struct step_grid *grid, struct value *ret)
{
    switch (e->kind) {
    case EXPR_NUMBER:
        return evaluate_number(ev, e->number, grid, ret);
    case EXPR_STRING:
        *ret = (struct value){ .type = TYPE_STRING, .string = e->string };
        return 0;
    case EXPR_SELECTOR:
        return evaluate_selector(ev, e, grid, INSTANT_VALUE, ret);
    case EXPR_PAREN:
        return evaluate(ev, e->inner, grid, ret);
    case EXPR_UNARY:
        return evaluate_unary(ev, e, grid, ret);
    case EXPR_BINARY:
        return evaluate_binary(ev, e, grid, ret);
    case EXPR_AGGREGATE:
        return evaluate_aggregate(ev, e, grid, ret);
    case EXPR_CALL:
        return evaluate_call(ev, e, grid, ret);
    case EXPR_SUBQUERY:
        break;
    }
    return err_set(ev->err, EINVAL, "a range stands where a value is needed");
}

/* The value of one step at all of them. */
static int repeat_value(struct evaluation *ev, const struct value *one,
                        const struct step_grid *grid, struct value *ret)
{
    if (one->type == TYPE_SCALAR)
        return evaluate_number(ev, one->scalars[0], grid, ret);
    value_init_vector(ret, ev, grid->count);
    for (size_t r = 0; r < one->rows.count; r++) {
        struct row *row = NULL;
        int rc = row_set_add(&ret->rows, &one->rows.rows[r].labels, &row);
        if (rc < 0)
            return rc;
        for (size_t i = 0; i < grid->count; i++)
            row->values[i] = one->rows.rows[r].values[0];
    }
    return 0;
}

int evaluate(struct evaluation *ev, const struct expr *e, const struct step_grid *grid,
             struct value *ret)
{
    if (!e->is_step_invariant || grid->count == 1 || e->kind == EXPR_STRING ||
        e->kind == EXPR_NUMBER)
        return evaluate_kind(ev, e, grid, ret);
    AUTO(value_done) struct value one = { 0 };
    struct step_grid first = { grid->start_ms, grid->step_ms, 1 };
    int rc = evaluate_kind(ev, e, &first, &one);
    return rc < 0 ? rc : repeat_value(ev, &one, grid, ret);
}
