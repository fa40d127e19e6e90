/* SPDX-License-Identifier: Apache-2.0 */
/* export_cc - JSON checkpoints as cc-metric-store loads them: the way back.
 *
 *     DIRECTORY/CLUSTER/HOST/FROM.json      one file each twelve hours of a host
 *
 * In a file's series slot n stands for start + step / 2 + n * step, because the store
 * that loads it takes start for the beginning of its buffer, and its answers begin half
 * a step later.  Values are written in full.
 */
#ifndef CMD_EXPORT_CC_H
#define CMD_EXPORT_CC_H

#include "base/err.h"
#include "store/store.h"

struct export_cc {
    const char *dir;
    int64_t from_ns, to_ns;
    const char *metric;    /* patterns, parted by commas */
    struct span component; /* a pattern, or empty */
    uint64_t files, series, samples;
    uint64_t unsaid_series; /* without a step of whole seconds, or not of a host */
    uint64_t overwritten;   /* two samples of one slot */
};

/* The whole of a store.  Between enter and leave.  Errors: what files say, -ENOMEM,
 * -EEXIST (a checkpoint is there already). */
int export_cc(struct metric_store *store, struct export_cc *cc, struct err *err);

/* Whether a name fits one of the patterns that commas part. */
bool export_fits(struct span name, const char *patterns);

#endif
