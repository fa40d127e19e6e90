/* SPDX-License-Identifier: Apache-2.0 */
/* set - many files of servers' measures, few of them open at a time.
 *
 *     a year of day files ──▶ from .. to of each ──▶ those of a job's window, open
 *
 * A file stays open for the jobs that follow, until SERIES_SET_OPEN_MAX others were
 * used since.
 */
#ifndef CLIENT_SERIES_SET_H
#define CLIENT_SERIES_SET_H

#include "base/strbuf.h"
#include "base/zone.h"
#include "client/series/clock_list.h"
#include "client/series/opts.h"
#include "client/series/reference.h"
#include "source/site/site.h"

#define SERIES_SET_OPEN_MAX 8

struct series_set_file {
    const char *path;                       /* the caller's */
    struct series_reference_file reference; /* path and fs are the set's own */
    int64_t from_s, to_s;
    int64_t step_s;                      /* the longest of its measures */
    int64_t clock_offset_s;              /* added to its times, which have it in them */
    struct lmt_series *series;           /* NULL: not open */
    bool is_server;                      /* it grows: its times are not final */
    uint64_t used;                       /* a higher number later */
    const struct site_filesystem *owner; /* NULL: unknown */
};

enum series_scope {
    SERIES_SCOPE_ALL,
    SERIES_SCOPE_OWN,  /* those of a file system, and those of unknown ones */
    SERIES_SCOPE_ONLY, /* those of a file system */
};

/* Which files: those with samples of [from_s, to_s + a step of theirs). */
struct series_request {
    int64_t from_s, to_s;
    enum series_scope scope;
    const struct site_filesystem *owner; /* NULL: one without a section */
    const char *fs;       /* of series of several only this, as Lustre calls it */
    const char *fs_guess; /* likewise, where they have it; else all.  Both NULL: as the
                           * owner says, or all */
};

struct series_set {
    struct series_set_file *files;
    struct lmt_series **chosen; /* by the last request; capacity for all */
    size_t count, open_count;
    uint64_t uses;
    uint64_t uses_before;  /* of the request before the last */
    struct zone text_zone; /* of LMT databases; has_text_zone */
    const struct series_opts *way;
    struct zone zone; /* of the site's hours */
    bool has_text_zone, has_zone;
};

/* Open each file, read its times, and close it.  paths are the caller's; way may be
 * NULL; both outlive the set.  clocks: what to add to the times of each; NULL: nothing.
 * After a failure, too, the set is to be done with.
 * Errors: -EINVAL (--zone), what opening a series says, -ENOMEM. */
int series_set_open(struct series_set *set, const char **paths, size_t count,
                    const struct series_opts *way, const struct option_list *clocks,
                    struct err *err);
void series_set_done(struct series_set *set);
DEFINE_AUTO_DONE(struct series_set, series_set_done);

/* Assign each file to a file system of the site, and take the hours of days from the
 * site's zone; site outlives the set.  Errors: -EINVAL (there is no such zone). */
int series_set_assign(struct series_set *set, const struct site_file *site,
                      struct err *err);
/* NULL: UTC. */
const struct zone *series_set_zone(const struct series_set *set);

/* Whether a file is in the scope of a request, at any time. */
bool series_set_is_of(const struct series_set_file *file,
                      const struct series_request *request);

/* The files that a request names, open and valid until the next call; their paths with
 * a space between are appended to names (NULL: nowhere).
 * Errors: what opening a series says, -ENOENT (a series does not have request->fs). */
int series_set_get(struct series_set *set, const struct series_request *request,
                   struct lmt_series ***ret, size_t *ret_count, struct strbuf *names,
                   struct err *err);

/* Where the files of the last request are, as series_reference_print() writes it. */
void series_set_reference_print(const struct series_set *set, struct strbuf *out);

#endif
