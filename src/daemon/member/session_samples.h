/* SPDX-License-Identifier: Apache-2.0 */
/* session_samples - the numbers that a result comes to, by the metric's name. */
#ifndef DAEMON_SESSION_SAMPLES_H
#define DAEMON_SESSION_SAMPLES_H

#include "session/reduce/reduce.h"
#include "session/session.h"

/* Those of bundle_numbers(), and session_expected, session_contributed, session_late,
 * session_refused: items that could not be merged. */
void session_samples(const struct session_result *result, bundle_number_fn *fn,
                     void *arg);

#endif
