/* SPDX-License-Identifier: Apache-2.0 */
/* ledger - SQLite's tables of jobs and summaries: see records/ledger.h. */
#ifndef RECORDS_SQLITE_LEDGER_H
#define RECORDS_SQLITE_LEDGER_H

#include "records/engine/engine.h"
#include "records/sqlite/db.h"

void sqlite_ledger_table(struct strbuf *sql, const struct ledger *ledger);
/* Add the columns that the table has not. */
int sqlite_ledger_grow(sqlite3 *db, const struct ledger *ledger, struct err *err);
int sqlite_ledger_find(sqlite3 *db, const struct ledger *ledger,
                       struct ledger_row *rows, size_t count, struct arena *arena,
                       struct err *err);
int sqlite_ledger_put(sqlite3 *db, const struct ledger *ledger,
                      const struct ledger_row *rows, size_t count, struct err *err);
int sqlite_ledger_prune(sqlite3 *db, const struct ledger *ledger,
                        const struct ledger_row *rows, size_t count,
                        ledger_pruned_fn *fn, void *arg, struct err *err);
int sqlite_ledger_drop(sqlite3 *db, const struct ledger *ledger, int64_t oldest_ns,
                       struct err *err);

#endif
