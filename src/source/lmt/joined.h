/* SPDX-License-Identifier: Apache-2.0 */
/* joined - several series as one: a job may run past midnight, and its servers' bytes
 * and loads lie in files of their own.
 *
 * What one has of a measure fills what the others leave missing; where two have the
 * same cell the later one in the list counts, as when they are read one by one.
 */
#ifndef SOURCE_LMT_JOINED_H
#define SOURCE_LMT_JOINED_H

#include "source/lmt/series.h"

/* The series stay the caller's and must outlive *ret; series itself is copied.
 * Errors: -EINVAL (count is 0), -ENOMEM. */
int lmt_series_join(struct lmt_series *const *series, size_t count,
                    struct lmt_series **ret, struct err *err);

#endif
