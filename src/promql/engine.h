/* SPDX-License-Identifier: Apache-2.0 */
/* engine - a query: text in, typed result out.
 *
 *     request ──▶ parse ──▶ evaluate at every step ──▶ result ──▶ result_json
 *                               │
 *                               └─▶ source: series of each selector, by callback
 *
 * Limits   samples, memory, PROMQL_POINTS_MAX steps, time through is_canceled.
 * Threads  none inside: queries of several threads share nothing.
 */
#ifndef PROMQL_ENGINE_H
#define PROMQL_ENGINE_H

#include "promql/evaluation.h"
#include "promql/syntax/syntax.h"

#define PROMQL_POINTS_MAX 11000

/* A series of the result: points at times_ms, or, where that is NULL, at the steps of
 * the result, some ABSENT. */
struct promql_row {
    struct labels labels;
    size_t count;
    const int64_t *times_ms;
    const double *values;
};

struct promql_result {
    enum value_type type;
    struct step_grid steps;
    double scalar;      /* TYPE_SCALAR: of an instant query */
    struct span string; /* TYPE_STRING */
    size_t row_count;
    const struct promql_row *rows; /* TYPE_VECTOR: one point each; TYPE_MATRIX */
};

/* On success *ret is the caller's, to promql_result_free(); the request's text and the
 * source need not live as long.
 * Errors: -EINVAL (the text, the times; err names the position), -EDOM (what cannot be
 * computed), -E2BIG (a limit), -ECANCELED, -ETIMEDOUT, -ENOMEM, those of the source. */
int promql_query(const struct promql_request *request,
                 const struct promql_source *source, struct promql_result **ret,
                 struct err *err);
void promql_result_free(struct promql_result *result); /* NULL is fine */
DEFINE_AUTO(struct promql_result, promql_result_free);

#endif
