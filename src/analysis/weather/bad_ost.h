/* SPDX-License-Identifier: Apache-2.0 */
/* bad_ost - whether files that lie on a target were slower than those that do not.
 *
 * Out of one Darshan log: a file's speed is its bytes by the time of its slowest
 * process, and is correlated with lying on each target.
 */
#ifndef ANALYSIS_BAD_OST_H
#define ANALYSIS_BAD_OST_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

struct bad_ost_target {
    int64_t ost;
    size_t files;  /* that lie on it */
    double r;      /* below 0: its files were slower; NaN: all files lie on it */
    double p;      /* of this target alone */
    double p_many; /* of the least of so many targets (Bonferroni) */
};

struct bad_ost {
    struct bad_ost_target *targets; /* the slowest first; NaN last */
    size_t target_count;
    size_t files;    /* with a speed and a layout */
    size_t no_speed; /* with a layout, but no bytes or no time: left out */
    size_t no_layout;
};

/* Errors: as darshan_log_open(); -ENODATA (no file has both a speed and a layout),
 * -EFBIG (more than 4 Mi files), -ENOMEM. */
int bad_ost_find(const char *path, struct bad_ost *ret, struct strbuf *faults,
                 struct err *err);
void bad_ost_done(struct bad_ost *found);
DEFINE_AUTO_DONE(struct bad_ost, bad_ost_done);

#endif
