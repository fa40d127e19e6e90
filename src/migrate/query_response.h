/* SPDX-License-Identifier: Apache-2.0 */
/* query_response - what a store responds to GET /api/query, as series of values. */
#ifndef MIGRATE_QUERY_RESPONSE_H
#define MIGRATE_QUERY_RESPONSE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUERY_RESPONSE_POINTS_MAX ((size_t)4 << 20) /* of all results */

/* The result of one query.  Value k stands for from_s + k * step_s. */
struct query_result {
    int64_t from_s;
    int64_t step_s;
    size_t first, count; /* of the response's values */
    bool is_found;       /* a series was found */
    char error[128];     /* empty: none */
};

struct query_response {
    struct query_result *results;
    size_t result_count, result_capacity;
    double *values; /* NaN: none */
    size_t value_count, value_capacity;
};

void query_response_done(struct query_response *response);
DEFINE_AUTO_DONE(struct query_response, query_response_done);

/* {"results":[[{"data":[...],"from":s,"resolution":s}], ...]}: the first of each list.
 * The response's memory is used again; after an error what it holds is undefined.
 * Errors: -EBADMSG, -EMSGSIZE (too many results or points), -ENOMEM. */
int query_response_parse(struct span json, struct query_response *ret, struct err *err);

#endif
