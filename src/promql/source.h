/* SPDX-License-Identifier: Apache-2.0 */
/* source - where the series of an expression come from: an interface that the caller of
 * the engine fills.
 */
#ifndef PROMQL_SOURCE_H
#define PROMQL_SOURCE_H

#include "base/err.h"
#include "promql/syntax/syntax.h"

/* Samples of one series, times ascending, each once. */
struct promql_samples {
    size_t count;
    const int64_t *times_ms;
    const double *values;
};

/* What is wanted: series that fit all matchers, their samples with from_ms <= time <=
 * to_ms. */
struct promql_selection {
    const struct matcher *matchers;
    size_t matcher_count;
    int64_t from_ms, to_ms;
    /* Where values are wanted at instants: at first_ms and every step_ms after it, up
     * to to_ms (step_ms 0: at one); of a range first_ms is from_ms.  A source that
     * computes its samples may compute them for these times. */
    int64_t first_ms, step_ms;
};

/* Called for each series with at least one sample, once; labels and samples need to be
 * valid until it returns.  A negative result ends the selection, which returns it. */
typedef int promql_series_fn(void *arg, const struct labels *labels,
                             const struct promql_samples *samples);

struct promql_source {
    void *arg;
    /* Errors: any; err names the data that could not be read. */
    int (*select)(void *arg, const struct promql_selection *selection,
                  promql_series_fn *put, void *put_arg, struct err *err);
};

#endif
