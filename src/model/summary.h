/* SPDX-License-Identifier: Apache-2.0 */
/* summary - one job's log summarised as one row of scalars.
 *
 * The columns are those of model/summary_columns.h and doc/formats/job-summary.md, in
 * the order in which they are printed; analysis/job makes the values.  A summary is
 * known by (cluster, _jobid, _log).
 *
 * Its line, for machines, is an object with what is known, and the cluster where there
 * is one:   {"_cluster":"cori","_jobid":"4478544","_log":"a.darshan","fs_timestep":5}
 */
#ifndef MODEL_SUMMARY_H
#define MODEL_SUMMARY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "model/scalar.h"
#include "model/summary_columns.h"

#define SUMMARY_LINE_BYTES_MAX ((size_t)256 << 10)
#define SUMMARY_WORD_BYTES_MAX ((size_t)255)   /* of cluster and job */
#define SUMMARY_LOG_BYTES_MAX ((size_t)1024)   /* darshan_app, jobsdb_user, too */
#define SUMMARY_TEXT_BYTES_MAX ((size_t)32768) /* fs_series names many files */

extern const struct scalar_column summary_columns[SUMMARY_COLUMN_COUNT];

/* Columns that more than printing is done with: their places in the table. */
enum summary_place {
    SUMMARY_JOB,  /* _jobid */
    SUMMARY_FS,   /* _file_system */
    SUMMARY_FROM, /* _datetime_start */
    SUMMARY_TO,   /* _datetime_end */
    SUMMARY_LOG,  /* _log */
    SUMMARY_APP,  /* darshan_app */
    SUMMARY_DARSHAN_JOB,
    SUMMARY_PROCESSES,
    SUMMARY_START, /* darshan_start_time, seconds */
    SUMMARY_END,   /* darshan_end_time, seconds */
};

struct summary {
    struct span cluster;          /* empty: not stated */
    const struct scalar *scalars; /* SUMMARY_COLUMN_COUNT */
};

/* The place of the column called name, looked for from *hint on, which then is the one
 * after it: names in the table's order are found at once.  -1: there is none. */
int summary_find_column(struct span name, size_t *hint);

/* Why it cannot be stored, or NULL: no job or log, a text that is too long or
 * no UTF-8 or holds NUL, a time that is none, a number that is not finite. */
const char *summary_check(const struct summary *summary);

/* Seconds of a column of times as nanoseconds; INT64_MIN: not stated. */
int64_t summary_time_ns(const struct summary *summary, enum summary_place place);

/* An object of what there is; a line is one with its line end. */
void summary_print_object(const struct summary *summary, struct strbuf *out);
void summary_print_line(const struct summary *summary, struct strbuf *out);
/* A value that is there: a text as it is, a double that is whole without a point. */
void summary_print_scalar(enum scalar_type type, const struct scalar *scalar,
                          struct strbuf *out);
/* A line of CSV (RFC 4180); what is missing is empty.  The cluster is no column. */
void summary_print_csv_header(struct strbuf *out);
void summary_print_csv(const struct summary *summary, struct strbuf *out);

/* Read what summary_print_line() prints, keys in any order; scalars and texts lie in
 * arena.  Errors: -EBADMSG (err has why: not JSON, a column that is not known or given
 * twice, a value of another type, or summary_check() says no), -ENOMEM. */
int summary_read_line(struct span line, struct arena *arena, struct summary *ret,
                      struct err *err);

#endif
