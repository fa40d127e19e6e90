/* SPDX-License-Identifier: Apache-2.0 */
/* clock_guess - by how much servers' clocks seem to differ from those of jobs: logs and
 * the set's series.
 */
#ifndef CLIENT_SERIES_CLOCK_GUESS_H
#define CLIENT_SERIES_CLOCK_GUESS_H

#include "analysis/job/job.h"
#include "client/series/set.h"

#define CLOCK_GUESS_REACH_S 600 /* to either side, by default */

/* The longest step of the files in the scope of request, in seconds; 0: there are
 * none. */
int64_t clock_guess_step(const struct series_set *set,
                         const struct series_request *request);

/* Add the log of a job to an estimate.  The times of request do not matter.
 * Errors: what the log or a series says; -ENODATA (no series has enough of its time),
 * -EINVAL (series of several steps), -ENOMEM. */
int clock_guess_add(struct clock_estimate *estimate, struct series_set *set,
                    const struct series_request *request, struct job_log *log,
                    struct err *err);

/* Which part bytes are of what the servers moved in the request's window; NaN:
 * unknown. */
double clock_guess_part(struct series_set *set, const struct series_request *request,
                        double bytes);

#endif
