/* SPDX-License-Identifier: Apache-2.0 */
/* points - measures out of any text or table, one value at a time, made into a series.
 *
 *     lmt_points_add()  measure, kind, component, time, value     in any order
 *            │
 *            ▼ lmt_series_of_points()
 *     a series like one that was opened
 *
 * For readers of what has no format of its own here: whoever reads says what a value
 * is, and the points bring it into steps.
 *
 * Times    need not stand on a grid: each goes to the nearest step of its component,
 * whose first time is the first step.  The step is the distance that most neighbours of
 *          one component have.
 * Threads  none inside.
 */
#ifndef SOURCE_LMT_POINTS_H
#define SOURCE_LMT_POINTS_H

#include "source/lmt/series.h"

#define LMT_POINTS_MAX ((size_t)1 << 25)

enum lmt_point_kind {
    LMT_POINT_GAUGE,     /* how it was at that time */
    LMT_POINT_GAUGE_END, /* how it was on average in the step that ended then */
    LMT_POINT_COUNT,     /* what happened in the step that began then */
    LMT_POINT_COUNT_END, /* what happened in the step that ended then */
    LMT_POINT_RATE,      /* by second, in the step that began then */
    LMT_POINT_RATE_END,  /* by second, in the step that ended then */
    LMT_POINT_COUNTER,   /* a sum that only grows, as it was at that time */
    _LMT_POINT_KIND_COUNT
};

struct lmt_points;

/* Errors: -ENOMEM. */
int lmt_points_new(struct lmt_points **ret);
void lmt_points_free(struct lmt_points *points); /* NULL is fine */
DEFINE_AUTO(struct lmt_points, lmt_points_free);

/* Take a value.  A negative count, a value that is not finite, is none and passed over.
 * The kind of a component's measure is that of its first value.
 * Errors: -EFBIG (LMT_POINTS_MAX, LMT_COLUMNS_MAX), -ENOMEM. */
int lmt_points_add(struct lmt_points *points, enum lmt_measure measure,
                   enum lmt_point_kind kind, struct span component, int64_t t_s,
                   double value, struct err *err);

/* How many values were taken. */
size_t lmt_points_count(const struct lmt_points *points);

/* Make a series of them, which owns them from then on; format is static and says what
 * they were read of.  Errors: -ENOMEM; then points stay the caller's. */
int lmt_series_of_points(struct lmt_points *points, const char *format,
                         struct lmt_series **ret, struct err *err);

#endif
