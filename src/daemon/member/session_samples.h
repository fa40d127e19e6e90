/* SPDX-License-Identifier: Apache-2.0 */
/* session_samples - the numbers that a result comes to, by the metric's name. */
#ifndef DAEMON_SESSION_SAMPLES_H
#define DAEMON_SESSION_SAMPLES_H

#include "session/session.h"

typedef void session_sample_fn(void *arg, const char *name, double value);

/* count, sum, min and max: NAME_sum ...; moments: NAME_mean, NAME_stddev; quantiles:
 * NAME_p50, _p90, _p99; states: NAME_STATE; hosts: NAME_hosts; histogram:
 * NAME_le_BOUND, cumulative.  What is no letter or digit in a name is "_".  Of top
 * there are none: it is a list.  Also session_expected, session_contributed,
 * session_late, session_refused: items that could not be merged. */
void session_samples(const struct session_result *result, session_sample_fn *fn,
                     void *arg);

#endif
