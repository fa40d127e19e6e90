/* SPDX-License-Identifier: Apache-2.0 */
/* clock_guess - by how much servers' clocks seem to differ from those of jobs: logs and
 * the shelf's series.
 */
#ifndef CMD_CLOCK_GUESS_H
#define CMD_CLOCK_GUESS_H

#include "analysis/job/job.h"
#include "cmd/series_shelf.h"

#define CLOCK_GUESS_REACH_S 600 /* to either side, where nobody says */

/* The longest step of the files that are whose; 0: there are none. */
int64_t clock_guess_step(const struct series_shelf *shelf,
                         const struct shelf_wish *whose);

/* Give a log its part in an estimate.  Of whose its times do not matter.
 * Errors: what the log or a series says; -ENODATA (no series has enough of its time),
 * -EINVAL (series of several steps), -ENOMEM. */
int clock_guess_add(struct clock_estimate *estimate, struct series_shelf *shelf,
                    const struct shelf_wish *whose, const char *log, struct err *err);

/* Which part bytes are of what the servers moved in the wish's window; NaN: nobody
 * knows.
 */
double clock_guess_part(struct series_shelf *shelf, const struct shelf_wish *wish,
                        double bytes);

#endif
