/* SPDX-License-Identifier: Apache-2.0 */
/* fabric - what other file systems on a job's fabric moved meanwhile.
 *
 *     series of each of them ─┬▶ bytes in the window
 *                             └▶ the same hours of other days: the usual
 *
 * Independent servers and devices do not help where the network between them and the
 * nodes is shared.  Bytes of all of them together are reported, and held against
 * windows of the same length whole days earlier and later, FABRIC_DAYS_MAX to either
 * side: their median is what is usual, and how many of them had as much is the
 * evidence.  A day counts where each file system that was measured in the window was
 * measured in half of it.
 *
 * Memory   one grid of one file system's window at a time.
 */
#ifndef ANALYSIS_WEATHER_FABRIC_H
#define ANALYSIS_WEATHER_FABRIC_H

#include "analysis/weather/fs_weather.h"

#define FABRIC_DAYS_MAX 14

/* One that shares a fabric with the job's file system; its name is the caller's.  All
 * have the zone of the first. */
struct fabric_member {
    const char *name;
    struct weather_source source;
};

/* Numbers are NaN, and counts 0, where nothing was measured or there is no usual. */
struct fabric {
    bool is_known; /* at least one of them was measured */
    char *fabrics; /* the names, with a space between; NULL: none */
    char *names;   /* of those that were measured, likewise */
    size_t count;  /* these */
    double read, written;
    double missing; /* of all cells */
    double rate;    /* bytes a second, over what was measured */
    double usual;   /* the median of the other days' rates */
    double times;   /* rate / usual */
    size_t days;    /* other days that count */
    size_t as_much; /* of them, with as high a rate or higher */
};

/* What one file system moved on the fabrics that it is on; its name is the caller's. */
struct fabric_filesystem {
    const char *name;
    struct fabric traffic;
};

/* fabrics: what the networks are called.  Errors: as lmt_series_read() but -ENOENT;
 * -EINVAL (the window ends before it begins), -ENOMEM; what take says. */
int fabric_read(const struct fabric_member *members, size_t count, const char *fabrics,
                int64_t from_s, int64_t to_s, struct fabric *ret, struct err *err);
void fabric_done(struct fabric *fabric);
DEFINE_AUTO_DONE(struct fabric, fabric_done);

/* The chance that a day as good as any other has as much: (1 + as_much) / (1 + days);
 * NaN of fewer than PERCENTILE_OTHERS_MIN days. */
double fabric_chance(size_t as_much, size_t days);

#endif
