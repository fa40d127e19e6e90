/* SPDX-License-Identifier: Apache-2.0 */
/* clock_doubt - a batch that is wholly out of time: is its clock wrong, or ours? */
#ifndef RECORDS_CLOCK_DOUBT_H
#define RECORDS_CLOCK_DOUBT_H

#include "records/records_private.h"

/* Not one time of a batch is in the accepted range: whose clock is wrong?  0: the
 * sender's, or it cannot be known.
 * Errors: -EAGAIN (ours, by all that is known); else as records_extent. */
int clock_doubt_check(struct records *records, int64_t now_ms, struct err *err);
/* A batch of rows in the range was stored: the newest one speaks for our clock. */
void clock_doubt_note(struct records *records, const struct keyed_row *rows,
                      size_t count);

#endif
