/* SPDX-License-Identifier: Apache-2.0 */
/* histogram - histogram_quantile() of rows with a bound in their label le. */
#ifndef PROMQL_HISTOGRAM_H
#define PROMQL_HISTOGRAM_H

#include "promql/row_set.h"

/* Into ret, which is empty; rows without a bound are left out.  Errors: -E2BIG. */
int histogram_quantile_rows(const struct row_set *set, const double *quantiles,
                            struct row_set *ret);

#endif
