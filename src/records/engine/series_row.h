/* SPDX-License-Identifier: Apache-2.0 */
/* series_row - a series as a row of the table series, and the filter of a reader, in
 * both engines.
 *
 * How many series are looked up or stored at once differs: SQLite runs a prepared
 * statement for each, PostgreSQL one statement with an array a column.
 */
#ifndef RECORDS_ENGINE_SERIES_ROW_H
#define RECORDS_ENGINE_SERIES_ROW_H

#include "base/strbuf.h"
#include "records/engine/statement.h"
#include "records/request/request.h"

/* The columns that are stored, in the order of series_fields(); then flags and
 * is_login. */
#define SERIES_STORED_COLUMNS                                                   \
    "time_series_id, fs, target, kind, entry_id, entry_bytes, format, job_id, " \
    "user_id, group_id, nodename, executable, pid, flags, is_login"
#define SERIES_COLUMNS "sid, " SERIES_STORED_COLUMNS
#define SERIES_COLUMN_COUNT 16

/* The series of a row of SERIES_COLUMNS; texts are valid as long as row.
 * Errors: -EIO (the identifier is none). */
int series_row_read(const struct sql_row *row, struct series *ret);

enum { SERIES_FIELD_ENTRY_BYTES = 4, SERIES_FIELD_COUNT = 12 };
/* What is stored of s, from fs to pid; data NULL: null.  text holds the printed
 * identifier.  Errors: -ENOMEM. */
int series_fields(const struct series *s, struct strbuf *text,
                  struct span ret[static SERIES_FIELD_COUNT]);

#define SERIES_TERMS_MAX 7
/* Conditions of a filter and their values. */
struct series_terms {
    struct strbuf entry;                           /* the printed identifier */
    struct sql_value values[SERIES_TERMS_MAX + 1]; /* one more is the engine's */
    size_t count;
};
void series_terms_done(struct series_terms *terms);
DEFINE_AUTO_DONE(struct series_terms, series_terms_done);

/* Appends ` AND fs = $1 AND ...`: id, sids, target and limit are not among them.
 * Errors: -ENOMEM. */
int series_terms_add(struct strbuf *sql, const struct series_filter *filter,
                     struct series_terms *terms);

/* The rows of such a statement on their way to the reader. */
struct series_rows {
    const struct series_filter *filter; /* its target and limit */
    records_series_fn *fn;
    void *arg;
    struct err *err;
    size_t count; /* given to fn */
};
/* Is the limit reached?  Then no row needs to be read. */
bool series_rows_are_enough(const struct series_rows *read);
/* A sql_row_fn; arg is a struct series_rows.  1: a row beyond the limit.
 * Errors: -EIO (a row without its identifier), and those of fn. */
int series_rows_read(void *arg, const struct sql_row *row);

#endif
