/* SPDX-License-Identifier: Apache-2.0 */
/* climate_table - what is normal among comparable runs, what goes with their speed, how
 * far apart equal ones are, and who made how much of all I/O, as tables. */
#ifndef REPORT_CLIMATE_TABLE_H
#define REPORT_CLIMATE_TABLE_H

#include "analysis/climate/climate.h"
#include "base/table/table.h"

/* Fill an initialised, empty table: a row a class and measure, and a note with the
 * number of tests.  Errors: -ENOMEM. */
int correlation_table_make(const struct correlations *correlations, struct table *table,
                           struct err *err);

/* Fill an initialised, empty table: a row a class whose name matches pattern (with
 * * ? []), and without a pattern (NULL) one of all together.  Factors without a pair
 * are null.  Errors: -ENOENT (no class matches); else those of the table. */
int floor_table_make(const struct floors *floors, const char *pattern,
                     struct table *table, struct err *err);

/* Fill an initialised, empty table: a row a class and measure; late quantiles are null
 * where the window holds no run.  Errors: -ENOMEM. */
int normal_class_table_make(const struct normal *normal, struct table *table,
                            struct err *err);

/* Likewise, a row for each of the last runs; "unusual" is a phrase for each value that
 * is far out, or null.  Errors: -ENOMEM. */
int normal_last_table_make(const struct normal *normal, struct table *table,
                           struct err *err);

/* Both, of runs.  Errors: those of normal_make(), -ENOMEM. */
int normal_tables_make(const struct mapping *mapping, const struct runs *runs,
                       const struct normal_opts *opts, struct table *classes,
                       struct table *last, struct err *err);

/* Fill an initialised, empty table: a row a board and name, the largest first: board,
 * name, runs, its share of the score that orders, the scores.  A score that no row has
 * is null.  Notes count what was cut or lacks a value.  Errors: -ENOMEM. */
int scoreboard_table_make(const struct scoreboard *scoreboard, struct table *table,
                          struct err *err);

#endif
