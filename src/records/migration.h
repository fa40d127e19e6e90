/* SPDX-License-Identifier: Apache-2.0 */
/* migration - what brings a database to this program's schema, listed before it is
 * done; a part of the door.
 */
#ifndef RECORDS_MIGRATION_H
#define RECORDS_MIGRATION_H

#include "base/err.h"
#include "records/request/request.h"

/* Tell fn every step that is needed, then do them all unless is_dry; no step: there is
 * nothing to do.  Each is a transaction or a part of one: what fails leaves the
 * database as it was. Errors: as records_open, -ENODATA (no tables of ours), -EBUSY (a
 * barod writes). */
int records_migrate(const struct records_opts *opts, bool is_dry, records_step_fn *fn,
                    void *arg, struct err *err);

#endif
