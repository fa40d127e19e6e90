/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_put - submitted rows into a ledger: which are new, which change anything.
 *
 *     rows ─▶ sorted by key ─▶ find ─▶ keeps()? ─▶ put those that change anything
 *                              (one query)          (one statement) ─▶ prune
 *
 * One rule decides here for both engines, so that both store the same.
 */
#ifndef RECORDS_LEDGER_PUT_H
#define RECORDS_LEDGER_PUT_H

#include "records/tables/tables.h"

struct records;

enum ledger_outcome {
    LEDGER_ACCEPTED,
    LEDGER_CHANGED,
    LEDGER_DUPLICATE,
};

/* Put rows of submitted scalars, each with its told_ms, in one durable transaction, and
 * say of each what it was.  Of rows with the same key the last one that is not kept off
 * holds.  All memory is of the arena.  Errors: as in records.h. */
int ledger_put(struct records *records, const struct ledger *ledger,
               const struct scalar *const *submitted, size_t count, struct arena *arena,
               enum ledger_outcome *ret_outcomes, struct err *err);
/* The same within a transaction that the caller began, and ends. */
struct ledger_rows {
    const struct ledger *ledger;
    const struct scalar *const *submitted;
    size_t count;
    enum ledger_outcome *outcomes;  /* set */
    const struct scalar **replaced; /* set: what each replaced, in arena; NULL: nothing.
                                       NULL: not wanted */
};
int ledger_put_within(struct records *records, const struct ledger_rows *rows,
                      struct arena *arena, struct err *err);

#endif
