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

#include "analysis/climate/climate.h"
#include "analysis/job/job.h"
#include "analysis/table/table.h"
#include "analysis/weather/weather.h"
#include "base/strbuf.h"
#include "base/zone.h"
#include "cmd/clock_list.h"
#include "cmd/series_reference.h"
#include "cmd/series_server.h"
#include "cmd/site_file.h"

#define SERIES_SHELF_OPEN_MAX 8

struct shelf_file {
    const char *path;                       /* the caller's */
    struct series_reference_file reference; /* path and fs are the shelf's */
    int64_t from_s, to_s;
    int64_t step_s;                      /* the longest of its measures */
    int64_t clock_offset_s;              /* added to its times, which have it in them */
    struct lmt_series *series;           /* NULL: not open */
    bool is_server;                      /* times of its rows are not told */
    uint64_t used;                       /* a higher number later */
    const struct site_filesystem *owner; /* NULL: nobody says whose it is */
};

enum shelf_whose {
    SHELF_ALL,
    SHELF_OWN,  /* those of a file system, and those of nobody */
    SHELF_ONLY, /* those of a file system */
};

/* Which files: those with something of [from_s, to_s + a step of theirs). */
struct shelf_wish {
    int64_t from_s, to_s;
    enum shelf_whose whose;
    const struct site_filesystem *owner; /* NULL: one that no section tells of */
    const char *fs;       /* of series of several only this, as Lustre calls it */
    const char *fs_guess; /* likewise, where they have it; else all.  Both NULL: as the
                           * owner says, or all */
};

struct series_shelf {
    struct shelf_file *files;
    struct lmt_series **taken; /* room for all */
    size_t count, open_count;
    uint64_t uses;
    uint64_t uses_before;  /* the last taking */
    struct zone text_zone; /* of LMT databases; has_text_zone */
    const struct series_way *way;
    struct zone zone; /* of the site's hours */
    bool has_text_zone, has_zone;
};

/* Each file is opened, asked for its times, and closed.  way: may be NULL, and
 * outlives the shelf.  clocks: what to add to the
 * times of each; NULL: nothing.
 */
int series_shelf_open(struct series_shelf *shelf, const char **paths, size_t count,
                      const struct series_way *way, const struct option_list *clocks,
                      struct err *err);
void series_shelf_done(struct series_shelf *shelf);
DEFINE_AUTO_DONE(struct series_shelf, series_shelf_done);

/* Whose each file is, and whose hours days are by, as the site's file has it, which
 * must outlive the shelf.  Errors: -EINVAL (a zone that there is not). */
int series_shelf_share(struct series_shelf *shelf, const struct site_file *site,
                       struct err *err);
/* NULL: UTC's. */
const struct zone *series_shelf_zone(const struct series_shelf *shelf);

/* Whether it is a file of whom the wish is about, at any time. */
bool series_shelf_is_whose(const struct shelf_file *file,
                           const struct shelf_wish *wish);

/* The files that are wished for, valid until the next call; their paths with a space
 * between are put into names (NULL: nowhere). */
int series_shelf_take(struct series_shelf *shelf, const struct shelf_wish *wish,
                      struct lmt_series ***ret, size_t *ret_count, struct strbuf *names,
                      struct err *err);

/* Where those lie that were taken last, as series_reference_print() has it. */
void series_shelf_refer(const struct series_shelf *shelf, struct strbuf *out);

#endif
