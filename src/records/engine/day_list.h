/* SPDX-License-Identifier: Apache-2.0 */
/* day_list - the days of a kind that have rows, and how far back their rows reach: the
 * table jobstats_days, for both engines.
 *
 * What a day is made of differs: SQLite has a table for each and counts its rows,
 * PostgreSQL a partition, and TimescaleDB makes its chunks itself.
 */
#ifndef RECORDS_ENGINE_DAY_LIST_H
#define RECORDS_ENGINE_DAY_LIST_H

#include "records/engine/statement.h"
#include "records/tables/tables.h"

struct day_list {
    struct day_span *days; /* ascending, each once */
    size_t count, capacity;
};

void day_list_done(struct day_list *list);
DEFINE_AUTO_DONE(struct day_list, day_list_done);

/* A day that is not in the list.  Errors: -ENOMEM; the list is as before. */
int day_list_add(struct day_list *list, struct day_span day);
/* NULL: it is not there. */
struct day_span *day_list_find(const struct day_list *list, int32_t day);
/* What the database has from from_day on (0: all) replaces the list.
 * Errors: -ENOMEM, as in engine.h; then the list may be incomplete. */
int day_list_load(struct day_list *list, const struct sql_conn *conn,
                  enum target_kind kind, int32_t from_day, struct err *err);

#endif
