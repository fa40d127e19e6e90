/* SPDX-License-Identifier: Apache-2.0 */
/* range - which series and rows a reader wants, and how it gets them. */
#ifndef RECORDS_REQUEST_RANGE_H
#define RECORDS_REQUEST_RANGE_H

#include "model/model.h"

/* Shall the reading go on?  0, or -errno. */
typedef int records_watch_fn(void *arg);

struct hostset;

struct series_filter {
    struct span fs;     /* all: data NULL means any */
    const char *target; /* patterns with * ? [], between commas */
    struct span job, user, group, node, executable;
    /* Where not NULL, any of these hosts in place of node. */
    const struct hostset *nodes;
    /* Where not NULL, any of these numbers in place of user, group; count 0: none. */
    const struct span *users, *groups;
    size_t user_count, group_count;
    struct span entry_id; /* bytes, exact */
    const struct uuid *id;
    const int64_t *sids; /* NULL: any */
    size_t sid_count;
    size_t limit; /* 0: none */
};

/* series is valid during the call.  A negative return ends the reading. */
typedef int records_series_fn(void *arg, const struct series *series);

/* How far back a series' last row is looked for: see with_before. */
#define RECORDS_LOOKBACK_MS (INT64_C(48) * 3600 * 1000)

struct row_range {
    enum target_kind kind;
    int64_t from_ms; /* rows with from_ms < t_ms <= to_ms */
    int64_t to_ms;
    const int64_t *sids; /* sorted; NULL: every series with rows there */
    size_t sid_count;
    bool with_before; /* see below */
    bool with_after;
    int64_t reach_ms; /* with_after; 0: to_ms */
    int64_t until_ms; /* with_after: no row behind it is looked at; 0: all are */
    uint64_t ops;     /* mask: columns wanted; 0: all */
    bool with_more;   /* fill jobrow.more */
};

/* row is valid during the call.  A negative return ends the reading. */
typedef int records_row_fn(void *arg, int64_t sid, const struct jobrow *row);

/* First and last t_ms stored, number of series and rows (estimated where counting is
 * dear), bytes on disk. */
struct records_extent {
    int64_t first_ms, last_ms; /* T_NONE while empty */
    int64_t rollup_first_ms;   /* the first hour of roll-ups; T_NONE: there is none */
    uint64_t series_count, row_count, size_bytes;
};
#endif
