/* SPDX-License-Identifier: Apache-2.0 */
/* runs_words - what a person must hear of rows that did not become what they were meant
 * to be: the bad ones, measures that are no numbers, values told twice.
 */
#ifndef ANALYSIS_CLIMATE_RUNS_WORDS_H
#define ANALYSIS_CLIMATE_RUNS_WORDS_H

#include "analysis/climate/runs.h"
#include "base/table.h"

/* As notes of table. */
void runs_words(const struct mapping *mapping, const struct runs *runs,
                struct table *table);

#endif
