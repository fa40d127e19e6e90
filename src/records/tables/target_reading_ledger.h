/* SPDX-License-Identifier: Apache-2.0 */
/* target_reading_ledger - readings of targets as rows of a ledger: the table
 * target_readings.
 *
 * A reading is known by (cluster, target, time, source).  What one of the same key adds
 * (a server to the space) is added to the row.
 */
#ifndef RECORDS_TABLES_TARGET_READING_LEDGER_H
#define RECORDS_TABLES_TARGET_READING_LEDGER_H

#include "records/tables/ledger.h"

extern const struct ledger ledger_target_readings;

/* The row of reading as it is submitted at now_ms, in arena; its texts are reading's.
 * NULL: no memory. */
const struct scalar *target_reading_ledger_row(const struct target_reading *reading,
                                               int64_t now_ms, struct arena *arena);
/* The reading of a row; its texts are the row's. */
void target_reading_ledger_reading(const struct scalar *row,
                                   struct target_reading *ret);

#endif
