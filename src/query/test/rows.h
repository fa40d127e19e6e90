/* SPDX-License-Identifier: Apache-2.0 */
/* rows - a database in an array, for tests: what a history reads. */
#ifndef QUERY_TEST_ROWS_H
#define QUERY_TEST_ROWS_H

#include "query/query.h"

#define ROWS_MAX 60000
#define ROWS_SERIES_MAX 200

struct rows {
    struct series series[ROWS_SERIES_MAX];
    size_t series_count;
    struct {
        int64_t sid;
        struct jobrow row;
    } rows[ROWS_MAX];
    size_t row_count;
    size_t reads; /* calls of read_rows */
};

void rows_history(struct rows *rows, struct history *ret);

/* sid is the place in the list, from 1. */
struct series *rows_add_series(struct rows *rows, enum target_kind kind,
                               const char *target, const char *job, const char *user,
                               const char *node);
/* In any order; kept sorted. */
void rows_add(struct rows *rows, int64_t sid, const struct jobrow *row);

#endif
