/* SPDX-License-Identifier: Apache-2.0 */
/* days - the tables of SQLite: one a day and kind, behind a view for each kind.
 *
 *     jobstats_days        kind, day, span_ms, row_count     which there are
 *     jobstats_ost_20261121, jobstats_ost_20261122, ...
 *     jobstats_ost         view over all of them (the newest DAYS_VIEW_MAX)
 */
#ifndef RECORDS_SQLITE_DAYS_H
#define RECORDS_SQLITE_DAYS_H

#include "records/engine/engine.h"
#include "records/sqlite/db.h"

#define DAYS_VIEW_MAX 450 /* SQLite takes 500 parts of a compound SELECT */

/* Inside a transaction: make the table of the day, or note a larger span. */
int days_need(sqlite3 *db, enum target_kind kind, struct day_list *days,
              const struct day_span *want, struct err *err);
/* Inside a transaction: drop what lies wholly before oldest_ms.  A hole in the view is
 * never seen: it changes with the tables. */
int days_drop(sqlite3 *db, enum target_kind kind, struct day_list *days,
              int64_t oldest_ms, struct err *err);
/* The view as it must be now; also for a kind without days. */
int days_make_view(sqlite3 *db, enum target_kind kind, const struct day_list *days,
                   struct err *err);

#endif
