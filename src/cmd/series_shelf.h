/* SPDX-License-Identifier: Apache-2.0 */
/* series_shelf - many files of servers' measures, few of them open at a time.
 *
 *     a year of day files ──▶ from .. to of each ──▶ those of a job's window, open
 *
 * A file stays open for the jobs that follow, until SERIES_SHELF_OPEN_MAX others were
 * used since.
 */
#ifndef CMD_SERIES_SHELF_H
#define CMD_SERIES_SHELF_H

#include "base/strbuf.h"
#include "cmd/clock_list.h"
#include "source/lmt/lmt.h"

#define SERIES_SHELF_OPEN_MAX 8

struct shelf_file {
    const char *path; /* the caller's */
    int64_t from_s, to_s;
    int64_t step_s;            /* the longest of its measures */
    int64_t clock_offset_s;    /* added to its times, which have it in them */
    struct lmt_series *series; /* NULL: not open */
    uint64_t used;             /* a higher number later */
};

struct series_shelf {
    struct shelf_file *files;
    struct lmt_series **taken; /* room for all */
    size_t count, open_count;
    uint64_t uses;
    struct lmt_opts opts;
};

/* Each file is opened, asked for its times, and closed.  zone: of LMT databases; NULL:
 * UTC; sets TZ of the process.  clocks: what to add to the times of each; NULL:
 * nothing.
 */
int series_shelf_open(struct series_shelf *shelf, const char **paths, size_t count,
                      const char *zone, const struct option_list *clocks,
                      struct err *err);
void series_shelf_done(struct series_shelf *shelf);
DEFINE_AUTO_DONE(struct series_shelf, series_shelf_done);

/* The files with something of [from_s, to_s + a step of theirs), valid until the next
 * call; their paths with a space between are put into names. */
int series_shelf_take(struct series_shelf *shelf, int64_t from_s, int64_t to_s,
                      struct lmt_series ***ret, size_t *ret_count, struct strbuf *names,
                      struct err *err);

#endif
