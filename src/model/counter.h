/* SPDX-License-Identifier: Apache-2.0 */
/* counter - what a raw counter says about the time between two readings.
 *
 * A decrease of samples or of a sum of bytes means a new generation of the counters.
 * Never sumsq, which wraps after 65,536 writes of 16 MiB; never min or max; never a sum
 * of usecs, which is per-CPU and read without stopping the writers.
 */
#ifndef MODEL_COUNTER_H
#define MODEL_COUNTER_H

#include "model/jobrow.h"

/* Does next show that a counter of before went backwards? */
bool counter_decreased(const struct jobrow *before, const struct jobrow *next);

/* The part of amount, spread evenly over (since, t], that lies in the window (from,
 * to]: rounded so that the parts of adjoining windows add up to amount exactly.  Where
 * since is not before t, all of it lies at t. */
uint64_t counter_part(uint64_t amount, int64_t since_ms, int64_t t_ms, int64_t from_ms,
                      int64_t to_ms);

/* How much of amount has accrued by at_ms, where since is before t: what counter_part
 * gives is its difference at the window's borders. */
uint64_t counter_accrued(uint64_t amount, int64_t since_ms, int64_t t_ms,
                         int64_t at_ms);

#endif
