/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_numbers - the numbers that contributions come to, by name.
 *
 *     fds.open  moments   ─▶  fds_open_mean, fds_open_stddev
 *
 * count, sum, min and max: NAME_sum ...; moments: NAME_mean, NAME_stddev; quantiles:
 * NAME_p50, _p90, _p99; states: NAME_STATE; hosts: NAME_hosts; histogram:
 * NAME_le_BOUND, cumulative.  What is no letter or digit in a name is "_".  Of top
 * there are none: it is a list.
 */
#ifndef SESSION_REDUCE_BUNDLE_NUMBERS_H
#define SESSION_REDUCE_BUNDLE_NUMBERS_H

#include "session/reduce/bundle.h"

typedef void bundle_number_fn(void *arg, const char *name, double value);

/* Of the items whose names begin with prefix, by the rest of their names; an empty one:
 * of all. */
void bundle_numbers(const struct bundle *bundle, struct span prefix,
                    bundle_number_fn *fn, void *arg);

#endif
