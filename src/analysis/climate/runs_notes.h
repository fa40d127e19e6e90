/* SPDX-License-Identifier: Apache-2.0 */
/* runs_notes - what the user must know of rows that did not become what they were meant
 * to be: the bad ones, measures that are no numbers, values given twice.
 */
#ifndef ANALYSIS_CLIMATE_RUNS_NOTES_H
#define ANALYSIS_CLIMATE_RUNS_NOTES_H

#include "analysis/climate/runs.h"
#include "base/table/table.h"

/* As notes of table. */
void runs_notes_add(const struct mapping *mapping, const struct runs *runs,
                    struct table *table);

#endif
