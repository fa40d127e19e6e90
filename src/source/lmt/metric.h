/* SPDX-License-Identifier: Apache-2.0 */
/* metric - the strings by which LMT's servers tell what they measured, as ltop records
 * them.
 *
 *     1285273690 1285273689 oss20 lmt_ost 2;oss20;0.09;32.9;lc1-OST0043;1028;...
 *      recorded   measured   host  metric  version;host;cpu;memory; a group a target
 *
 * Understood are lmt_ost 2, lmt_mdt 1, 2 and 3, lmt_osc 1, lmt_router 1, and of older
 * servers lmt_oss 1, lmt_ost 1 and lmt_mds 2.
 */
#ifndef SOURCE_LMT_METRIC_H
#define SOURCE_LMT_METRIC_H

#include "source/lmt/points.h"

struct lmt_metric_opts {
    int64_t clock_offset_s; /* added to every time */
    /* Hears of each line that cannot be read; may be NULL; reason is static. */
    void (*on_fault)(void *arg, uint64_t line, struct span text, const char *reason);
    void *arg;
};

/* Whether a text begins as such a recording does. */
bool lmt_metric_is(struct span text);

/* Take all lines of text into points; it may be read in pieces of whole lines, *line
 * being how many came before.  A line that cannot be read costs that line, and nothing
 * of it is taken.  Errors: as lmt_points_add(). */
int lmt_metric_read(struct span text, const struct lmt_metric_opts *opts,
                    uint64_t *line, struct lmt_points *points, struct err *err);

#endif
