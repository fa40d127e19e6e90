/* SPDX-License-Identifier: Apache-2.0 */
/* rollup_check - are the stored cells of an hour what its rows add up to? */
#ifndef QUERY_HOURS_ROLLUP_CHECK_H
#define QUERY_HOURS_ROLLUP_CHECK_H

#include "query/hours/history.h"

struct rollup_checked {
    uint64_t hours, cells, wrong_hours;
};

/* Who hears of the hours. */
struct rollup_check_watch {
    void (*wrong_fn)(void *arg, enum target_kind kind, int64_t hour_ms);
    void (*progress_fn)(void *arg, size_t done, size_t count); /* NULL: none */
    void *arg;
};

/* Make the cells of up to hours_max clean hours again, spread over all there are whose
 * rows are all kept, and compare them with those that are stored; watch hears of each
 * hour that differs.  rows and cells are two readers of the same database.
 * Errors: as reading. */
int rollup_check(struct records_reader *rows, struct records_reader *cells,
                 size_t hours_max, const struct rollup_check_watch *watch,
                 struct rollup_checked *ret, struct err *err);

#endif
