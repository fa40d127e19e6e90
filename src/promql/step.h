/* SPDX-License-Identifier: Apache-2.0 */
/* step - the times at which an expression is evaluated, and values that may be absent.
 *
 *     start_ms, start_ms + step_ms, ...        count of them; an instant is one step
 *
 * A series without a value at a step has ABSENT there: a NaN of bits that no sample has
 * (one that has them is read as an ordinary NaN).
 */
#ifndef PROMQL_STEP_H
#define PROMQL_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ABSENT_BITS UINT64_C(0x7ffcab5e17ab5e17)
/* The NaN with which Prometheus marks the end of a series. */
#define STALE_BITS UINT64_C(0x7ff0000000000002)

struct step_grid {
    int64_t start_ms;
    int64_t step_ms; /* > 0 where count > 1 */
    size_t count;
};

static inline int64_t step_time(const struct step_grid *grid, size_t index)
{
    return grid->start_ms + (int64_t)index * grid->step_ms;
}

static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double absent_value(void)
{
    double value;
    uint64_t bits = ABSENT_BITS;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline bool is_absent(double value)
{
    return bits_of(value) == ABSENT_BITS;
}

static inline bool is_stale(double value)
{
    return bits_of(value) == STALE_BITS;
}

#endif
