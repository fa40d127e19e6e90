/* SPDX-License-Identifier: Apache-2.0 */
/* verify - does what a database holds fit together?  A part of the door; nothing is
 * changed.
 *
 * The engine's own check, then what must hold between our tables: rows have a series
 * and a server, days know their rows, an id is that of its target and identifier, cells
 * have an hour.  Whether cells are what their rows add up to is for query to say.
 */
#ifndef RECORDS_VERIFY_H
#define RECORDS_VERIFY_H

#include "base/err.h"
#include "records/request/request.h"

/* progress hears after each check how many of how many are done; NULL is fine.
 * Errors: as records_open of a reader; faults are none. */
int records_verify(const struct records_opts *opts, records_fault_fn *fn,
                   records_progress_fn *progress, void *arg,
                   struct records_verified *ret, struct err *err);

#endif
