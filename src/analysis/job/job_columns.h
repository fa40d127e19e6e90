/* SPDX-License-Identifier: Apache-2.0 */
/* job_columns - a job's context as columns: the one table for CSV, JSON, SQL, workbook.
 *
 *     struct job_context ──▶ scalars ──▶ model/summary: CSV, line, database
 *                        ◀──         ◀── a stored summary
 *
 * The columns are model/summary_columns.h's, in its order: a new one is one line there.
 */
#ifndef ANALYSIS_JOB_JOB_COLUMNS_H
#define ANALYSIS_JOB_JOB_COLUMNS_H

#include "analysis/job/job_context.h"
#include "model/model.h"

struct job_row;

struct job_column {
    const char *name;
    enum scalar_type type;
    const char *unit; /* "B", "1/s"; "time": Unix seconds; "": none */
    size_t offset;    /* of the member of struct job_context */
};

extern const struct job_column job_columns[SUMMARY_COLUMN_COUNT];

/* NULL: no such column. */
const struct job_column *job_column_find(const char *name);

/* The value as the column has it; the text is the context's. */
struct scalar job_column_get(const struct job_column *column,
                             const struct job_context *context);
/* Missing ones, too.  A text is copied: -ENOMEM is remembered in context->error.  A
 * column in GiB leaves a member as it is that has its bytes already. */
void job_column_set(const struct job_column *column, struct scalar value,
                    struct job_context *context);

/* All columns in their order, in scalars; the cluster is the identity's.  Texts are the
 * context's, and *ret is as long valid as both. */
void job_context_summary(const struct job_context *context,
                         struct scalar scalars[static SUMMARY_COLUMN_COUNT],
                         struct summary *ret);
/* A stored summary; context is initialised.  Errors: -ENOMEM. */
int job_context_from_summary(const struct summary *summary,
                             struct job_context *context);

/* A line of CSV (RFC 4180) under summary_print_csv_header(); what is missing is empty.
 */
void job_context_print_csv(const struct job_context *context, struct strbuf *out);
/* An object without what is missing, and without a cluster. */
void job_context_print_json(const struct job_context *context, struct strbuf *out);
/* The same with the cluster, where it is known, and a line end. */
void job_context_print_line(const struct job_context *context, struct strbuf *out);
/* Such an object, or a line of the model's; context is initialised.
 * Errors: as summary_read_line(). */
int job_context_read_json(struct job_context *context, struct span text,
                          struct err *err);
/* A line a column, for a person. */
void job_context_print_lines(const struct job_context *context, struct strbuf *out);

/* All columns as cells of a row, for tables that know columns by their names alone; row
 * is initialised.  Errors: -ENOMEM. */
int job_context_row(const struct job_context *context, struct job_row *row);

#endif
