/* SPDX-License-Identifier: Apache-2.0 */
/* ledger - PostgreSQL's tables of jobs and summaries: see records/ledger.h. */
#ifndef RECORDS_POSTGRES_LEDGER_H
#define RECORDS_POSTGRES_LEDGER_H

#include "records/postgres/backend.h"

void pg_ledger_table(struct strbuf *sql, const struct ledger *ledger);
/* Does the table have every column of ours?  Where not, pg_ledger_grow() adds them. */
int pg_ledger_is_whole(struct pg_conn *c, const struct ledger *ledger, bool *ret,
                       struct err *err);
void pg_ledger_grow(struct strbuf *sql, const struct ledger *ledger);
/* `;CREATE TEMPORARY TABLE ...`: what each session of the writer needs. */
void pg_ledger_stage(struct strbuf *sql, const struct ledger *ledger);
int pg_ledger_find(struct records_backend *b, const struct ledger *ledger,
                   struct ledger_row *rows, size_t count, struct arena *arena,
                   struct err *err);
int pg_ledger_put(struct records_backend *b, const struct ledger *ledger,
                  const struct ledger_row *rows, size_t count, struct err *err);
int pg_ledger_prune(struct records_backend *b, const struct ledger *ledger,
                    const struct ledger_row *rows, size_t count, ledger_pruned_fn *fn,
                    void *arg, struct err *err);
int pg_ledger_drop(struct records_backend *b, const struct ledger *ledger,
                   int64_t oldest_ns, struct err *err);

#endif
