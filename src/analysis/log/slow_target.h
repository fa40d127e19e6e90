/* SPDX-License-Identifier: Apache-2.0 */
/* slow_target - whether all files on one target were slow, and how likely by chance.
 *
 *     files on one target each ─▶ the quickest of each target ─▶ the slowest of these
 *                                                             ÷ their median = ratio
 *     the same files, dealt to the targets anew, within sizes alike ─▶ p
 *
 * The quickest file of a target says what that target can do at best, so that one slow
 * process does not look like a slow target.  Targets with one file are left out: a file
 * alone may be slow for its process.
 *
 * p is the share of SLOW_TARGET_DEALS deals, and of the files as they lie, in which the
 * slowest target is as slow.  Files change places only with files of about their size
 * (a factor of 4), because small ones take longer by the byte, and a program may put
 * all its small ones on one target.  The deals are the same each time for the same
 * files.  Once SLOW_TARGET_ENOUGH deals were as slow, it is chance enough: no more are
 * made.  Of more than SLOW_TARGET_FILES_MAX files so many are drawn for it.
 *
 * Threads  none.
 */
#ifndef ANALYSIS_SLOW_TARGET_H
#define ANALYSIS_SLOW_TARGET_H

#include "base/cleanup.h"

#include <stdint.h>

#define SLOW_TARGET_OSTS_MAX 4096
#define SLOW_TARGET_MIN 3 /* targets; fewer have no median that means anything */
#define SLOW_TARGET_DEALS 999
#define SLOW_TARGET_ENOUGH 20
#define SLOW_TARGET_FILES_MAX ((size_t)1 << 13)

struct target_file {
    double bytes, io_s; /* read and written; both above 0 */
    uint32_t process;   /* any number that is its process's alone */
    int32_t ost;        /* 0 .. SLOW_TARGET_OSTS_MAX - 1 */
};

struct slow_target {
    int ost;          /* -1: fewer than SLOW_TARGET_MIN targets */
    double ratio;     /* its quickest file's time by the byte, against the median's */
    double p;         /* NaN likewise */
    uint64_t targets; /* that have two files or more */
    uint64_t files;   /* on them */
    /* Seconds by the byte of the files on the other targets. */
    double usual_q05, usual_q50, usual_q95;
};

/* Orders the files.  Errors: -ENOMEM. */
int slow_target_find(struct target_file *files, size_t count, struct slow_target *ret);

#endif
