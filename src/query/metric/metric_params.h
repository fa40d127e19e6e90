/* SPDX-License-Identifier: Apache-2.0 */
/* metric_params - the parameters of a request for samples: one table for REST, which
 * reads them, and for the command line, which checks and writes them.
 *
 *     X(name, value, choices, help)    name      of the parameter, and of the option
 *                                      value     what its values are called
 *                                      choices   "a|b": no others; "": by its type
 */
#ifndef QUERY_METRIC_METRIC_PARAMS_H
#define QUERY_METRIC_METRIC_PARAMS_H

#include "base/err.h"
#include "query/metric/metric_read.h"

/* clang-format off */
#define METRIC_PARAMS_RANGE(X) \
    X(from, "TIME", "", "Start of the range: 2026-11-21T06:00Z, -2h, @1669010520.") \
    X(to, "TIME", "", "End of the range, exclusive; default: now.") \
    X(last, "DURATION", "", \
      "Length of the range up to its end, in place of a start; default: 1h.") \
    X(aggregate, "HOW", "sum|avg", "sum or avg: one result for all components.")
#define METRIC_PARAMS_POINTS(X) \
    X(step, "DURATION", "", \
      "Interval between points; default: every sample at its own time.") \
    X(resample, "HOW", "triangles|average", \
      "average (default), or triangles: preserves the shape of the line.")
#define METRIC_PARAMS_COUNTERS(X) \
    X(counters, "HOW", "raw|rate", \
      "Counters as their rate per second, or raw: as they were sent.  Default: rate on " \
      "the command line, raw by REST.")
#define METRIC_PARAMS_TOP(X) \
    X(by, "WHAT", "avg|min|max|sum", "Rank by avg (default), min, max or sum.")
#define METRIC_PARAMS_FORM(X) \
    X(top, "COUNT", "", "Only so many components, those with the largest.") \
    X(statistics, "HOW", "no|yes|only", "no (default), yes, or only: without values.") \
    X(format, "FORM", "json|table|csv|objects", \
      "json (default), table, csv, or objects: an array of rows, as baro metric query " \
      "prints it with --output json.")
#define METRIC_PARAMS(X) \
    METRIC_PARAMS_RANGE(X) METRIC_PARAMS_POINTS(X) METRIC_PARAMS_COUNTERS(X) \
    METRIC_PARAMS_TOP(X) METRIC_PARAMS_FORM(X)
/* clang-format on */

enum metric_rank {
    METRIC_BY_AVG,
    METRIC_BY_MIN,
    METRIC_BY_MAX,
    METRIC_BY_SUM,
};

enum metric_form {
    METRIC_FORM_JSON,
    METRIC_FORM_TABLE,
    METRIC_FORM_CSV,
    METRIC_FORM_OBJECTS, /* the rows of a table, an object each */
};

struct metric_params {
    int64_t from_ns, to_ns; /* settled: from <= to */
    int64_t last_ns, step_ns;
    enum resampling resampling;
    bool is_together; /* one result for all components */
    enum aggregation aggregation;
    enum metric_counters counters;
    uint64_t top;
    enum metric_rank by;
    unsigned want; /* METRIC_WANT_* */
    enum metric_form form;
    bool has_from;
};

void metric_params_init(struct metric_params *ret, int64_t now_ns);
/* Read one.  Errors: -ENOENT (there is no such parameter), -EINVAL (its value; err
 * names both and what may be). */
int metric_param_parse(struct metric_params *params, struct span name,
                       struct span value, int64_t now_ns, struct err *err);
/* When all are read.  Errors: -EINVAL (the range ends before it begins). */
int metric_params_settle(struct metric_params *params, struct err *err);

#endif
