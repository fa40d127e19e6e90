/* SPDX-License-Identifier: Apache-2.0 */
/* scrub - the thread that reads the whole database for damage: once after the
 * start, when nothing else is urgent.
 *
 * Threads  its own; start and free on the program's.
 */
#ifndef DAEMON_SCRUB_H
#define DAEMON_SCRUB_H

#include "records/records.h"

struct daemon_scrub;

/* records outlives it.  Errors: -ENOMEM, -EAGAIN (no thread). */
int daemon_scrub_start(struct records *records, struct daemon_scrub **ret,
                       struct err *err);
/* Ends a check that is under way. */
void daemon_scrub_free(struct daemon_scrub *scrub);

#endif
