/* SPDX-License-Identifier: Apache-2.0 */
/* divergence_table - when runs were slower or faster than their season, and what went
 * with it, as tables.
 *
 * Each function fills an initialised, empty table.  Errors of all: -ENOMEM.
 */
#ifndef REPORT_DIVERGENCE_TABLE_H
#define REPORT_DIVERGENCE_TABLE_H

#include "analysis/climate/climate.h"
#include "base/table/table.h"

/* A row a region: when, how long, faster or slower, its slowest run. */
int region_table_make(const struct divergence *divergence, struct table *table,
                      struct err *err);
/* A row a region and measure that go together. */
int region_correlation_table_make(const struct divergence *divergence,
                                  struct table *table, struct err *err);
/* A row a measure: how often it was at its worst when a run was; fraction and p are
 * null where it applied to no run. */
int contributor_table_make(const struct divergence *divergence, struct table *table,
                           struct err *err);
/* Its columns and rows alone, for other results that have such measures. */
void contributor_rows_add(const struct anomaly_measure *measures, size_t count,
                          struct table *table);
/* A row a region: its slowest run, and what was at its worst there; null: nothing. */
int anomaly_table_make(const struct divergence *divergence, struct table *table,
                       struct err *err);

#endif
