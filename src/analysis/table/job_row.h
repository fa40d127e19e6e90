/* SPDX-License-Identifier: Apache-2.0 */
/* job_row - one job as one row: named numbers and texts, in the order they were put.
 *
 * Whoever puts, puts all of his columns for every job, missing ones too: so that rows
 * of all jobs have the same columns and stand below one another.
 */
#ifndef ANALYSIS_TABLE_JOB_ROW_H
#define ANALYSIS_TABLE_JOB_ROW_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

#define JOB_ROW_CELLS_MAX 4096 /* of a row that is read */

enum job_cell_type {
    JOB_CELL_MISSING,
    JOB_CELL_TEXT,
    JOB_CELL_I64,
    JOB_CELL_DOUBLE,
};

struct job_cell {
    const char *name;
    enum job_cell_type type;
    union {
        const char *text;
        int64_t i64;
        double dbl;
    };
};

struct job_row {
    struct arena arena; /* names and texts */
    struct job_cell *cells;
    size_t count;
    size_t capacity;
    int error; /* remembered like strbuf's */
};

void job_row_init(struct job_row *row);
void job_row_done(struct job_row *row);
DEFINE_AUTO_DONE(struct job_row, job_row_done);

/* NULL and NaN are missing values.  Names and texts are copied. */
void job_row_text(struct job_row *row, const char *name, const char *value);
void job_row_i64(struct job_row *row, const char *name, int64_t value);
void job_row_double(struct job_row *row, const char *name, double value);
void job_row_missing(struct job_row *row, const char *name);
int job_row_error(const struct job_row *row);

/* NULL: no such column. */
const struct job_cell *job_row_find(const struct job_row *row, const char *name);
/* NaN: no number is there. */
double job_row_number(const struct job_row *row, const char *name);
/* NULL: no text is there. */
const char *job_row_words(const struct job_row *row, const char *name);

/* A line of CSV (RFC 4180); what is missing is empty. */
void job_row_print_header(const struct job_row *row, struct strbuf *out);
void job_row_print_csv(const struct job_row *row, struct strbuf *out);
/* An object without its missing cells. */
void job_row_print_json(const struct job_row *row, struct strbuf *out);
/* Put what such an object has: whole numbers as such, null as missing.  row is
 * initialised; after a failure it holds what was read so far.  Errors: -EBADMSG (no
 * such object), -ENOMEM. */
int job_row_read_json(struct job_row *row, struct span text, struct err *err);
/* A line a cell, for people. */
void job_row_print_lines(const struct job_row *row, struct strbuf *out);

#endif
