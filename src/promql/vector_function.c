/* SPDX-License-Identifier: Apache-2.0 */
/* vector_function - functions of values. */
#include "promql/vector_function.h"

#include "promql/arithmetic.h"
#include "promql/histogram.h"
#include "promql/label_function.h"
#include "promql/ranking.h"

#include <math.h>
#include <stdlib.h>

/* Arguments and what they are evaluated for. */
struct call_values {
    struct evaluation *ev;
    const struct expr_call *call;
    const struct step_grid *grid;
    struct value *arguments;
};

typedef int value_fn(const struct call_values *c, struct value *ret);

static void hand_over(struct value *from, struct value *to)
{
    *to = *from;
    *from = (struct value){ 0 };
}

/* Each value by a function of one number; the name is dropped. */
static int map_numbers(struct value *argument, number_fn *fn, struct value *ret)
{
    struct row_set *set = &argument->rows;
    for (size_t r = 0; r < set->count; r++)
        for (size_t i = 0; i < set->step_count; i++)
            if (!is_absent(set->rows[r].values[i]))
                set->rows[r].values[i] = fn(set->rows[r].values[i]);
    int rc = row_set_drop_names(set, ROWS_BY_STEP);
    if (rc == 0)
        hand_over(argument, ret);
    return rc;
}

/* Where either is NaN so is the result, and -0 is less than 0. */
static double least_of(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isinf(a) && a < 0 ? a : isinf(b) && b < 0 ? b : (double)NAN;
    if (a == 0 && b == 0)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}

static double most_of(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isinf(a) && a > 0 ? a : isinf(b) && b > 0 ? b : (double)NAN;
    if (a == 0 && b == 0)
        return signbit(a) ? b : a;
    return a > b ? a : b;
}

static double clamp_value(enum function_id id, double value, double first,
                          double second)
{
    if (id == FUNCTION_CLAMP_MIN)
        return most_of(first, value);
    if (id == FUNCTION_CLAMP_MAX)
        return least_of(first, value);
    if (second < first)
        return absent_value();
    return most_of(first, least_of(second, value));
}

static int call_clamp(const struct call_values *c, struct value *ret)
{
    struct row_set *set = &c->arguments[0].rows;
    enum function_id id = c->call->function->id;
    const double *first = c->arguments[1].scalars;
    const double *second = id == FUNCTION_CLAMP ? c->arguments[2].scalars : first;
    for (size_t r = 0; r < set->count; r++) {
        double *values = set->rows[r].values;
        for (size_t i = 0; i < set->step_count; i++)
            if (!is_absent(values[i]))
                values[i] = clamp_value(id, values[i], first[i], second[i]);
    }
    int rc = row_set_drop_names(set, ROWS_BY_STEP);
    if (rc == 0)
        hand_over(&c->arguments[0], ret);
    return rc;
}

static int call_round(const struct call_values *c, struct value *ret)
{
    struct row_set *set = &c->arguments[0].rows;
    const double *nearest =
        c->call->argument_count > 1 ? c->arguments[1].scalars : NULL;
    for (size_t r = 0; r < set->count; r++) {
        double *values = set->rows[r].values;
        for (size_t i = 0; i < set->step_count; i++) {
            double inverse = 1 / (nearest ? nearest[i] : 1);
            if (!is_absent(values[i]))
                values[i] = floor(values[i] * inverse + 0.5) / inverse;
        }
    }
    int rc = row_set_drop_names(set, ROWS_BY_STEP);
    if (rc == 0)
        hand_over(&c->arguments[0], ret);
    return rc;
}

static int call_time(const struct call_values *c, struct value *ret)
{
    int rc = value_init_scalar(ret, c->ev, c->grid->count);
    for (size_t i = 0; i < c->grid->count && rc == 0; i++)
        ret->scalars[i] = (double)step_time(c->grid, i) / 1000;
    return rc;
}

static int call_pi(const struct call_values *c, struct value *ret)
{
    int rc = value_init_scalar(ret, c->ev, c->grid->count);
    for (size_t i = 0; i < c->grid->count && rc == 0; i++)
        ret->scalars[i] = M_PI;
    return rc;
}

/* A vector of one row without labels. */
static int single_row(const struct call_values *c, const double *values,
                      struct value *ret)
{
    static const struct labels none = { 0, NULL };
    struct row *row = NULL;
    value_init_vector(ret, c->ev, c->grid->count);
    int rc = row_set_add(&ret->rows, &none, &row);
    for (size_t i = 0; i < c->grid->count && rc == 0; i++)
        row->values[i] = is_absent(values[i]) ? (double)NAN : values[i];
    return rc;
}

static int call_vector(const struct call_values *c, struct value *ret)
{
    return single_row(c, c->arguments[0].scalars, ret);
}

static int call_scalar(const struct call_values *c, struct value *ret)
{
    const struct row_set *set = &c->arguments[0].rows;
    int rc = value_init_scalar(ret, c->ev, c->grid->count);
    for (size_t i = 0; i < c->grid->count && rc == 0; i++) {
        size_t count = 0;
        for (size_t r = 0; r < set->count; r++) {
            if (is_absent(set->rows[r].values[i]))
                continue;
            count++;
            ret->scalars[i] = set->rows[r].values[i];
        }
        if (count != 1)
            ret->scalars[i] = (double)NAN;
    }
    return rc;
}

static int call_calendar(const struct call_values *c, struct value *ret)
{
    number_fn *fn = calendar_function(c->call->function->id);
    if (c->call->argument_count > 0)
        return map_numbers(&c->arguments[0], fn, ret);
    AUTO(value_done) struct value now = { 0 };
    int rc = call_time(c, &now);
    if (rc == 0)
        rc = single_row(c, now.scalars, ret);
    for (size_t i = 0; i < c->grid->count && rc == 0; i++)
        ret->rows.rows[0].values[i] = fn(ret->rows.rows[0].values[i]);
    return rc;
}

/* Of what is no plain selector: the time of the step. */
static int call_timestamp(const struct call_values *c, struct value *ret)
{
    struct row_set *set = &c->arguments[0].rows;
    for (size_t r = 0; r < set->count; r++)
        for (size_t i = 0; i < set->step_count; i++)
            if (!is_absent(set->rows[r].values[i]))
                set->rows[r].values[i] = (double)step_time(c->grid, i) / 1000;
    int rc = row_set_drop_names(set, ROWS_BY_STEP);
    if (rc == 0)
        hand_over(&c->arguments[0], ret);
    return rc;
}

/* Only an instant has an order; NaN is last either way. */
static int call_sort(const struct call_values *c, struct value *ret)
{
    struct row_set *set = &c->arguments[0].rows;
    AUTO_FREE struct ranked *entries = calloc(set->count + 1, sizeof *entries);
    AUTO_FREE struct row *rows = calloc(set->count + 1, sizeof *rows);
    if (!entries || !rows)
        return evaluation_no_memory(c->ev);
    bool is_instant = set->step_count == 1;
    for (uint32_t r = 0; r < set->count && is_instant; r++) {
        rows[r] = set->rows[r];
        entries[r] = (struct ranked){ rows[r].values[0], r };
    }
    if (is_instant)
        ranking_sort(c->call->function->id == FUNCTION_SORT ? RANKING_BOTTOM
                                                            : RANKING_TOP,
                     entries, set->count);
    for (uint32_t r = 0; r < set->count && is_instant; r++)
        set->rows[r] = rows[entries[r].row];
    hand_over(&c->arguments[0], ret);
    return 0;
}

static int call_label_replace(const struct call_values *c, struct value *ret)
{
    struct span texts[4];
    for (size_t i = 0; i < 4; i++)
        texts[i] = c->arguments[i + 1].string;
    int rc = label_replace_rows(&c->arguments[0].rows, texts);
    if (rc == 0)
        hand_over(&c->arguments[0], ret);
    return rc;
}

static int call_label_join(const struct call_values *c, struct value *ret)
{
    size_t count = c->call->argument_count - 1;
    AUTO_FREE struct span *texts = calloc(count + 1, sizeof *texts);
    if (!texts)
        return evaluation_no_memory(c->ev);
    for (size_t i = 0; i < count; i++)
        texts[i] = c->arguments[i + 1].string;
    int rc = label_join_rows(&c->arguments[0].rows, texts, count);
    if (rc == 0)
        hand_over(&c->arguments[0], ret);
    return rc;
}

static int call_histogram_quantile(const struct call_values *c, struct value *ret)
{
    value_init_vector(ret, c->ev, c->grid->count);
    return histogram_quantile_rows(&c->arguments[1].rows, c->arguments[0].scalars,
                                   &ret->rows);
}

static int call_absent(const struct call_values *c, struct value *ret)
{
    return vector_absent(c->ev, c->call->arguments[0], &c->arguments[0].rows, ret);
}

static int call_number(const struct call_values *c, struct value *ret)
{
    return map_numbers(&c->arguments[0], number_function(c->call->function->id), ret);
}

int vector_absent(struct evaluation *ev, const struct expr *argument,
                  const struct row_set *set, struct value *ret)
{
    struct labels labels;
    struct row *row = NULL;
    if (absent_labels(ev, argument, &labels) < 0)
        return evaluation_no_memory(ev);
    value_init_vector(ret, ev, set->step_count);
    int rc = row_set_add(&ret->rows, &labels, &row);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < set->step_count; i++) {
        size_t r = 0;
        while (r < set->count && is_absent(set->rows[r].values[i]))
            r++;
        if (r == set->count)
            row->values[i] = 1;
    }
    if (!row_has_values(&ret->rows, row))
        ret->rows.count = 0;
    return 0;
}

static value_fn *value_function(enum function_id id)
{
    static value_fn *const functions[_FUNCTION_COUNT] = {
        [FUNCTION_ABSENT] = call_absent,
        [FUNCTION_CLAMP] = call_clamp,
        [FUNCTION_CLAMP_MAX] = call_clamp,
        [FUNCTION_CLAMP_MIN] = call_clamp,
        [FUNCTION_HISTOGRAM_QUANTILE] = call_histogram_quantile,
        [FUNCTION_LABEL_JOIN] = call_label_join,
        [FUNCTION_LABEL_REPLACE] = call_label_replace,
        [FUNCTION_PI] = call_pi,
        [FUNCTION_ROUND] = call_round,
        [FUNCTION_SCALAR] = call_scalar,
        [FUNCTION_SORT] = call_sort,
        [FUNCTION_SORT_DESC] = call_sort,
        [FUNCTION_TIME] = call_time,
        [FUNCTION_TIMESTAMP] = call_timestamp,
        [FUNCTION_VECTOR] = call_vector,
    };
    if (number_function(id))
        return call_number;
    return calendar_function(id) ? call_calendar : functions[id];
}

int vector_function(struct evaluation *ev, const struct expr_call *call,
                    const struct step_grid *grid, struct value *arguments,
                    struct value *ret)
{
    struct call_values c = { ev, call, grid, arguments };
    return value_function(call->function->id)(&c, ret);
}
