/* SPDX-License-Identifier: Apache-2.0 */
/* fs_weather - what the servers of a file system did in a window of time.
 *
 *     series ─▶ one measure's grid at a time ─┬▶ totals, peak and when, quiet, missing
 *                                             ├▶ each target's part
 *                                             └▶ the same hours of other days: where
 *                                                this window lies among them
 *
 * Other days are windows of the same length, whole days earlier or later, that the
 * series have, at the same hours of the site's clock: over a change to summer time such
 * a day is 23 or 25 hours away.  One counts where at least half of it was measured, by
 * its mean a second.
 *
 * Memory   one grid of one window at a time; files are asked for a window at a time.
 */
#ifndef ANALYSIS_WEATHER_FS_WEATHER_H
#define ANALYSIS_WEATHER_FS_WEATHER_H

#include "analysis/stats/stats.h"
#include "base/arena.h"
#include "base/zone.h"
#include "source/lmt/lmt.h"

#define WEATHER_DAYS_MAX 400

struct weather_line {
    bool is_known;
    double total; /* of counts, over what was measured; of gauges NaN */
    double mean;  /* by second; of gauges over all components */
    double peak;  /* of a step: all components by second; of gauges of one component */
    int64_t peak_s;
    const char *peak_component; /* of gauges */
    double quiet;               /* share of the measured cells that are 0 */
    double missing;             /* share of all cells */
    size_t cells;
    const double *days; /* means of the same hours of other days, sorted */
    size_t day_count;
};

struct weather_target {
    const char *name;
    double read, written;   /* bytes over the window */
    size_t cells, measured; /* of both directions */
};

struct weather {
    struct arena arena;
    int64_t from_s, to_s;
    int64_t step_s; /* 0: nothing was read */
    struct weather_line lines[LMT_MEASURES];
    struct weather_target *targets; /* the busiest first */
    size_t target_count;
    size_t other_days; /* that were looked for */
    double idle;       /* targets that moved nothing all the time, of those measured */
};

/* The series with something of [from_s, to_s), open until the next call. */
typedef int weather_series_fn(void *arg, int64_t from_s, int64_t to_s,
                              struct lmt_series ***ret, size_t *ret_count,
                              struct err *err);

struct weather_source {
    weather_series_fn *get;
    void *arg;
    int64_t first_s, end_s;  /* of all there is */
    const struct zone *zone; /* whose hours are meant; NULL: UTC's */
};

/* It has something of [from_s, to_s), too. */
void weather_source_add(struct weather_source *source, int64_t from_s, int64_t to_s);
/* The other days of the window [from_s, to_s) are those at most so long before it;
 * against_s 0: all there are. */
void weather_source_against(struct weather_source *source, int64_t from_s, int64_t to_s,
                            int64_t against_s);

/* How many seconds later the same hours are of so many days later, or earlier. */
int64_t weather_shift_s(const struct zone *zone, int64_t from_s, int64_t days);

/* Errors: as lmt_series_read() but -ENOENT; what get says. */
int weather_read(const struct weather_source *source, int64_t from_s, int64_t to_s,
                 struct weather *ret, struct err *err);
/* Where the window is among the same hours of the other days, by its mean. */
struct percentile weather_line_percentile(const struct weather_line *line);
/* What all targets read and wrote, in bytes. */
double weather_bytes(const struct weather *weather);
void weather_done(struct weather *weather);
DEFINE_AUTO_DONE(struct weather, weather_done);

#endif
