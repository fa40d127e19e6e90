/* SPDX-License-Identifier: Apache-2.0 */
/* result_private - what the tables of results share; private to them. */
#ifndef QUERY_COUNTERS_RESULT_PRIVATE_H
#define QUERY_COUNTERS_RESULT_PRIVATE_H

#include "query/counters/ranking.h"
#include "query/counters/result.h"

/* In units a second. */
double result_rate(accumulator_sum sum, int64_t from_ms, int64_t to_ms);

/* The columns of the grouping, and a row's cells from column on; returns the next. */
void result_add_keys(const struct accumulator *accumulator, struct table *table);
size_t result_set_keys(const struct accumulator *accumulator,
                       const struct accumulator_group *group, size_t column,
                       struct table *table);
bool result_is_grouped_by(const struct selection *sel, enum dim dim);
/* A column called as the measure, with suffix. */
void result_add_named(struct table *table, const struct measure *m, const char *suffix,
                      enum table_type type, const char *unit);

/* That rows were left out, and that a cell of a name is empty. */
void result_note_cut(const struct ranking *r, size_t shown, struct table *table);
void result_note_nameless(const struct accumulator *accumulator,
                          const struct ranking *r, size_t shown, struct table *table);

#endif
