/* SPDX-License-Identifier: Apache-2.0 */
/* barod - a running barod as a series: its metric store, or else its rows.
 *
 *     window ─▶ pieces of it ──────┬▶ /v1/query           counters ─▶ readings ─┐
 *                                  └▶ /v1/jobstats/rates  what jobs did ────────┴▶ grid
 *
 * What the agents read of their servers' totals is kept as counters: rates are made
 * here (readings.h).  Where the store begins later than the window and rows do not, the
 * rows serve: what jobs did, by target, in steps after the length of the window.  Which
 * of them it was is reported by note().
 *
 * A column is a target, whichever server had it when; of loads it is a server.  Targets
 * of one name in two clusters are "cluster/name", and then all are.
 *
 * The answers come by get(), so that this room knows no HTTP; they are not trusted.
 *
 * Memory  the grid that is read, and one piece; of an archive one piece of each
 *         measure.
 */
#ifndef SOURCE_LMT_BAROD_H
#define SOURCE_LMT_BAROD_H

#include "source/lmt/series.h"

/* Between two readings further apart nobody watched. */
#define LMT_BAROD_GAP_STEPS 12

struct lmt_barod_opts {
    void *arg;
    /* The body of the answer to a GET of path, valid until the next.  Errors: -ENOENT
     * (the server says that there is no such thing), and all that asking can have. */
    int (*get)(void *arg, const char *path, struct span *ret, struct err *err);
    void (*note)(void *arg, const char *text); /* what a person should know */
    void (*close)(void *arg);
    int64_t clock_offset_s; /* added to its times */
};

/* Asks what targets there are.  On success arg is the series', to be closed with it.
 * Errors: what get says, -EBADMSG (an answer that is none), -ENODATA (it has neither
 * totals nor rows), -ENOMEM. */
int lmt_barod_open(const struct lmt_barod_opts *opts, struct lmt_series **ret,
                   struct err *err);

#endif
