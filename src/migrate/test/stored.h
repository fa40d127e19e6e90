/* SPDX-License-Identifier: Apache-2.0 */
/* stored - a store's directory with samples, made by the directory target.
 *
 * Threads  none inside.
 */
#ifndef MIGRATE_TEST_STORED_H
#define MIGRATE_TEST_STORED_H

#include "base/number.h"
#include "base/span.h"
#include "migrate/directory_target.h"

#include "base/test/scratch.h"

#define STORED_START_S INT64_C(1700006400) /* twelve hours begin there */

/* values of one series a step apart, from STORED_START_S + offset_s. */
static inline void stored_put(const struct import_target *target, const char *path,
                              const char *metric, int64_t step_s, int64_t offset_s,
                              const double *values, size_t count)
{
    const struct import_series s = { .path = span_of(path),
                                     .metric = span_of(metric),
                                     .step_ns = step_s * NS_PER_S,
                                     .start_ns =
                                         (STORED_START_S + offset_s) * NS_PER_S };
    assert_int_equal(target->put(target->state, &s, values, count, NULL), 0);
}

#endif
