/* SPDX-License-Identifier: Apache-2.0 */
/* ledger - a table whose rows are submitted from outside, and may be submitted again.
 *
 *     submitted rows ─▶ sorted by key ─▶ find ─▶ keeps()? ─▶ put those that change
 * anything (one question)       (one statement) ─▶ prune
 *
 * What is the same for jobs and summaries.  A row is an array of scalars in the order
 * of the ledger's columns: first its key, last told_ms, which says when it was stored
 * and is no part of what was submitted.  A key's scalars are never missing.
 *
 * Ledgers grow: a column that the database has not is added when a program opens it,
 * and one that it has beyond ours is left alone, so that an older program goes on
 * beside a newer one.
 *
 * Private to records; the doors are jobs.h and summaries.h.
 */
#ifndef RECORDS_TABLES_LEDGER_H
#define RECORDS_TABLES_LEDGER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "model/model.h"

#include <stdbool.h>

struct ledger {
    const char *table;
    const struct scalar_column *columns;
    size_t column_count;
    size_t key_count; /* the first columns */
    /* Does what is stored stay, though another was submitted?  NULL: never. */
    bool (*keeps)(const struct scalar *stored, const struct scalar *submitted);
    /* What is stored and what was submitted as one row, in arena; NULL: no memory.
     * Without it what was submitted replaces what is stored. */
    const struct scalar *(*unite)(const struct scalar *stored,
                                  const struct scalar *submitted, struct arena *arena);
    /* After rows were put: those of the same first prune_key_count columns that match
     * are deleted, SQL on t; NULL: none. */
    const char *prune;
    size_t prune_key_count;
    /* Its retention is a promise: what is old goes also where nothing came since. */
    bool is_private;
    const char *indices; /* SQL, the same for both engines */
};

/* Every ledger has start_ns and end_ns.  The end of what has none yet comes last: as an
 * expression, because an index is made of it. */
#define LEDGER_END "coalesce(end_ns, 9223372036854775807)"
/* Whether a row is older than @, in ns: by its end, else by what else is known. */
#define LEDGER_IS_OLD                                                   \
    "(" LEDGER_END " < @ OR (" LEDGER_END " = 9223372036854775807 AND " \
    "coalesce(nullif(start_ns, 0), told_ms * 1000000) < @))"
#define LEDGER_KEY_MAX 4

/* A row on its way in. */
struct ledger_row {
    const struct scalar *submitted;
    const struct scalar *stored; /* set by find; NULL: the key is not there */
};

/* ---- SQL that is the same for both engines ---- */

/* `"a", "b"` of columns [from, to), each with prefix before it. */
void ledger_add_names(struct strbuf *sql, const struct ledger *ledger, size_t from,
                      size_t to, const char *prefix);
/* ` ON CONFLICT ("k1", "k2") DO UPDATE SET "a" = excluded."a", ...` */
void ledger_add_conflict(struct strbuf *sql, const struct ledger *ledger);
/* `INSERT INTO t ("a", "b")`: columns that a newer program has added stay null. */
void ledger_add_insert(struct strbuf *sql, const struct ledger *ledger);
/* `CREATE TABLE ...` with the types' names, and its indices. */
void ledger_add_table(struct strbuf *sql, const struct ledger *ledger,
                      const char *const types[static 3]);

/* `DELETE FROM ...` of what is older than oldest_ns. */
void ledger_add_drop(struct strbuf *sql, const struct ledger *ledger,
                     int64_t oldest_ns);
/* -ERANGE: nothing was submitted within the retention; nothing is deleted. */
int ledger_says_wrong_clock(const struct ledger *ledger, struct err *err);

/* ---- reading ---- */

/* A condition with one value: `"user" = @`, the value wherever @ stands. */
struct ledger_term {
    const char *sql;
    enum scalar_type type;
    struct scalar value;
    bool is_alternative; /* OR with the term before it; all others are joined by AND */
};

struct ledger_query {
    const struct ledger *ledger;
    const struct ledger_term *terms;
    size_t term_count;
    const char *order; /* SQL */
    size_t limit;      /* rows; 0: all.  a few need not have all sorted */
};

/* row is valid during the call.  1 ends the reading well. */
typedef int ledger_row_fn(void *arg, const struct scalar *row);

/* For a view: every column but told_ms, so that further ones come last. */
void ledger_add_view_names(struct strbuf *sql, const struct ledger *ledger);

/* ` SELECT ... WHERE ... ORDER BY ... LIMIT`, a value as its number: $1. */
void ledger_add_select(struct strbuf *sql, const struct ledger_query *query);

/* key is that of a row that went; valid during the call. */
typedef void ledger_pruned_fn(void *arg, const struct scalar *key);

#endif
