/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_print - one entry in the forms of baro jobstats parse. */
#ifndef CMD_JOBSTATS_PRINT_H
#define CMD_JOBSTATS_PRINT_H

#include "base/table.h"
#include "model/model.h"

/* One JSON object on one line. */
void jobstats_print_json(struct strbuf *out, const struct entry *entry,
                         const struct entry_split *split);

/* The flat form that a monitoring client sends: target, entry_id, timestamp,
 * snapshot_time, then per operation the one number that counts there.  t_ms T_NONE: the
 * entry was observed at its snapshot time, rounded up to the whole minute. */
void jobstats_print_seed(struct strbuf *out, const struct entry *entry, int64_t t_ms);

/* CSV: a row an operation.  Table: a row an entry, for people. */
void jobstats_csv_columns(struct table *table);
void jobstats_csv_rows(struct table *table, const struct entry *entry,
                       const struct entry_split *split);
void jobstats_table_columns(struct table *table);
void jobstats_table_row(struct table *table, const struct entry *entry,
                        const struct entry_split *split);

#endif
