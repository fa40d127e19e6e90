/* SPDX-License-Identifier: Apache-2.0 */
/* barod_scrub - the thread that reads the whole database for damage: once after the
 * start, when nothing else is urgent.
 *
 * Threads  its own; start and free on the program's.
 */
#ifndef CMD_BAROD_SCRUB_H
#define CMD_BAROD_SCRUB_H

#include "records/records.h"

struct barod_scrub;

/* records outlives it.  Errors: -ENOMEM, -EAGAIN (no thread). */
int barod_scrub_start(struct records *records, struct barod_scrub **ret,
                      struct err *err);
/* Ends a check that is under way. */
void barod_scrub_free(struct barod_scrub *scrub);

#endif
