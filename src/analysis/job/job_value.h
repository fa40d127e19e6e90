/* SPDX-License-Identifier: Apache-2.0 */
/* job_value - what stands for a value of a job that was not observed: null is not 0.
 *
 * A double is NaN, a text NULL, and a whole number JOB_I64_NONE.
 */
#ifndef ANALYSIS_JOB_JOB_VALUE_H
#define ANALYSIS_JOB_JOB_VALUE_H

#include <math.h>
#include <stdint.h>

#define JOB_I64_NONE INT64_MIN

/* The whole number as a double, NaN of none. */
static inline double job_i64_number(int64_t value)
{
    return value == JOB_I64_NONE ? NAN : (double)value;
}

#endif
