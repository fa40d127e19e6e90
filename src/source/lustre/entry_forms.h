/* SPDX-License-Identifier: Apache-2.0 */
/* entry_forms - one entry of job_stats as JSON, as rows, and as clients send it.
 *
 * What is shown stands in the table of entry_columns.h.
 */
#ifndef SOURCE_LUSTRE_ENTRY_FORMS_H
#define SOURCE_LUSTRE_ENTRY_FORMS_H

#include "source/lustre/entry_columns.h"

/* Append one JSON object on one line.  Errors: kept in out. */
void entry_print_json(struct strbuf *out, const struct entry *entry,
                      const struct entry_split *split);

/* Append the flat form that a monitoring client sends: target, entry_id, timestamp,
 * snapshot_time, then per operation the one number that counts there.  t_ms, of the
 * observation; T_NONE: its snapshot time, rounded up to the whole minute. */
void entry_print_seed(struct strbuf *out, const struct entry *entry, int64_t t_ms);

/* The columns of ENTRY_FORM_CSV or ENTRY_FORM_TABLE, and the rows of one entry: one for
 * each operation in CSV, and one for an entry without any.  Errors: kept in table. */
void entry_table_columns(struct table *table, enum entry_form form);
void entry_table_rows(struct table *table, enum entry_form form,
                      const struct entry *entry, const struct entry_split *split);

#endif
