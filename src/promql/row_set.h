/* SPDX-License-Identifier: Apache-2.0 */
/* row_set - an instant vector at every step: a row for each series.
 *
 *     labels        step 0  1       2
 *     {job="a"}     1       2       ABSENT
 *     {job="b"}     ABSENT  7       8
 *
 * Rows stand in the order in which an instant query prints them.
 * Memory   rows of a set are freed with it; labels stand in the evaluation's arena.
 * Threads  none inside.
 */
#ifndef PROMQL_ROW_SET_H
#define PROMQL_ROW_SET_H

#include "promql/evaluation.h"

struct row {
    struct labels labels;
    double *values; /* one a step */
};

struct row_set {
    struct evaluation *ev;
    struct arena arena;
    struct row *rows;
    size_t count, capacity;
    size_t step_count;
    size_t bytes; /* charged to the evaluation */
};

void row_set_init(struct row_set *set, struct evaluation *ev, size_t step_count);
void row_set_done(struct row_set *set);
DEFINE_AUTO_DONE(struct row_set, row_set_done);

/* A new row, absent at every step.  Labels are not copied.  Valid until the next one.
 * Errors: -E2BIG. */
int row_set_add(struct row_set *set, const struct labels *labels, struct row **ret);

/* count doubles that are freed with the set, all absent.  Errors: -E2BIG. */
int row_set_doubles(struct row_set *set, size_t count, double **ret);

/* Whether a row has a value at any step. */
bool row_has_values(const struct row_set *set, const struct row *row);

/* Order by labels. */
void row_set_sort(struct row_set *set);

/* Rows of equal labels become one.
 * Errors: -EDOM where two have a value at the same step (ROWS_BY_STEP), or any values
 * at all (ROWS_WHOLE). */
enum row_set_merge { ROWS_BY_STEP, ROWS_WHOLE };
int row_set_merge(struct row_set *set, enum row_set_merge how);

/* Remove the metric's name from each row, then merge. Errors: likewise. */
int row_set_drop_names(struct row_set *set, enum row_set_merge how);

#endif
