/* SPDX-License-Identifier: Apache-2.0 */
/* truth - what really happened on a target in some time, and how fast it was then. */
#ifndef SIM_TRUTH_H
#define SIM_TRUTH_H

#include "plant.h"

#include <stdio.h>

/* Bytes read and written on target in (from, to], but not those of but_job; 0: of all.
 */
uint64_t sim_truth_bytes(const struct sim *sim, const struct sim_target *target,
                         int64_t from_ns, int64_t to_ns, uint64_t but_job);

/* How long an access to a target takes on which others move so many bytes a second:
 * half a millisecond and what a GiB/s gives, as often as the target is shared, which is
 * 20 times at most. */
double sim_access_s(uint64_t bytes, double others_bytes_per_s);

/* Lines of CSV on out: "target,entry_id,op,samples,sum" of what was counted in
 * (from, to], nothing of what was not. */
int sim_truth_print(const struct sim *sim, int64_t from_ns, int64_t to_ns, FILE *out);

#endif
