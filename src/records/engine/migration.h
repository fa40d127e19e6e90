/* SPDX-License-Identifier: Apache-2.0 */
/* migration - the steps that bring a database to this program's schema. */
#ifndef RECORDS_ENGINE_MIGRATION_H
#define RECORDS_ENGINE_MIGRATION_H

#include "records/request/request.h"

/* Report every step from version on to fn; those that index the series anew take as
 * long as series_count of them need.  index_locks and locks are what others wait for
 * meanwhile, for a step of that kind and for any other; static text. */
void migration_report(int64_t version, uint64_t series_count, const char *index_locks,
                      const char *locks, records_step_fn *fn, void *arg);

#endif
