/* SPDX-License-Identifier: Apache-2.0 */
/* runs_notes - what the user must know of rows that did not become what they were meant
 * to be: the bad ones, measures that are no numbers, values given twice.
 */
#ifndef REPORT_RUNS_NOTES_H
#define REPORT_RUNS_NOTES_H

#include "analysis/climate/climate.h"
#include "base/table/table.h"

/* As notes of table. */
void runs_notes_add(const struct mapping *mapping, const struct runs *runs,
                    struct table *table);

#endif
