/* SPDX-License-Identifier: Apache-2.0 */
/* step - the distance between samples, where a file does not state it; for this room
 * alone. */
#ifndef SOURCE_LMT_STEP_H
#define SOURCE_LMT_STEP_H

#include <stddef.h>
#include <stdint.h>

/* The distance that most neighbours among count times have, in their unit; of two that
 * are as frequent the smaller; 0: fewer than two different times.  times is the
 * caller's and is overwritten. */
int64_t lmt_step_of(int64_t *times, size_t count);

#endif
