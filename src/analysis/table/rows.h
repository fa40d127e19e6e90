/* SPDX-License-Identifier: Apache-2.0 */
/* rows - tables of any columns, row by row, and what formulas make of them.
 *
 *     CSV files ─▶ wide, long ─┐             ┌▶ columns made, in their order
 *     a job_row ───────────────┴▶ the fields ┴▶ formulas, evaluated when asked for
 *
 * Formulas are added before the first table is read; each table may have other columns.
 * A column that a table does not have is missing in its rows.
 *
 * Memory   that of the longest row, and of the formulas; of a long table all of it.
 * Threads  none inside.
 */
#ifndef ANALYSIS_TABLE_ROWS_H
#define ANALYSIS_TABLE_ROWS_H

#include "analysis/table/expression.h"
#include "analysis/table/job_row.h"
#include "analysis/table/mapping.h"
#include "analysis/table/sheet.h"

#define ROWS_FORMULAS_MAX 512

struct rows;

struct rows_reader {
    /* Anything below 0 ends the reading and is what it returns. */
    int (*row)(void *arg, struct rows *rows);
    void (*fault)(void *arg, const char *where, const char *what);
    void *arg;
};

/* columns: made out of fields for all formulas; form: how the tables are written.  Both
 * must outlive *ret.  Errors: -ENOMEM. */
int rows_new(const struct mapping_items *columns, const struct sheet *form,
             struct rows **ret);
void rows_free(struct rows *rows);
DEFINE_AUTO(struct rows, rows_free);

/* Columns of second tables for all formulas.  Errors: as row_joins_new(). */
int rows_join(struct rows *rows, const struct mapping *mapping, struct err *err);
/* Rows so far for which the n-th of them had none. */
uint64_t rows_unjoined(const struct rows *rows, size_t n);

/* Returns its place, for rows_value(); where is said when it cannot be understood, and
 * like text it must outlive rows.  Errors: -E2BIG. */
int rows_add_formula(struct rows *rows, const char *where, const char *text);

/* Errors: what the file says, -EINVAL (a formula), what a callback returned. */
int rows_read_file(struct rows *rows, const char *path,
                   const struct rows_reader *reader, struct err *err);
/* The same of one row; file_name is what the column "file" says. */
int rows_read_job(struct rows *rows, const struct job_row *job, const char *file_name,
                  const struct rows_reader *reader, struct err *err);

/* Rows of all tables so far, those that are no rows too. */
uint64_t rows_count(const struct rows *rows);
/* Values of long tables that had been given for their run before: skipped. */
uint64_t rows_doubles(const struct rows *rows);

/* ---- during a callback; texts live until its end ---- */

struct value rows_value(struct rows *rows, int formula);
bool rows_is_true(struct rows *rows, int formula);
struct span rows_value_text(struct rows *rows, int formula);
/* The same as a name: of 16.0, which pandas makes of 16, it is "16". */
struct span rows_value_name(struct rows *rows, int formula);
/* Whether the table has the column called name, or makes it. */
bool rows_has(const struct rows *rows, const char *name);
/* A fault of the present row, reported to the reader. */
void rows_fault(struct rows *rows, const char *what);

/* Whether a column was asked for that no table had, and that is not among optional.
 * Errors: -EINVAL, with its name. */
int rows_check_names(const struct rows *rows, const struct config_list *optional,
                     struct err *err);

#endif
