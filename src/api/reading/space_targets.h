/* SPDX-License-Identifier: Apache-2.0 */
/* space_targets - what the targets of file systems hold, out of the metric store.
 *
 *     lustre/oss01/ost:scratch-OST0001 ─┐  by name: a target that moved to another
 * server lustre/oss02/ost:scratch-OST0001 ─┴▶ has one history
 *
 * Threads  one worker's.
 */
#ifndef API_READING_SPACE_TARGETS_H
#define API_READING_SPACE_TARGETS_H

#include "analysis/space/space.h"
#include "base/arena.h"
#include "base/system/budget.h"
#include "store/store.h"

struct space_targets {
    struct arena arena;
    struct space_target *items; /* by cluster, then file system, then name */
    size_t count;
    double *values; /* theirs */
};

struct space_targets_opts {
    struct metric_store *store;
    int (*watch)(void *arg); /* shall the reading go on?  Below 0: not.  NULL: always */
    void *watch_arg;
    const char *fs; /* a pattern */
    int64_t from_ns, step_ns;
    size_t value_count;
    struct budget_hold *hold; /* is charged for what is read */
};

/* ret is the caller's in any case, to space_targets_done().
 * Errors: -ENOENT (none has its space in this range), what watch and the
 * hold report, those of reading, -ENOMEM. */
int space_targets_read(const struct space_targets_opts *opts, struct space_targets *ret,
                       struct err *err);
void space_targets_done(struct space_targets *targets);
DEFINE_AUTO_DONE(struct space_targets, space_targets_done);

#endif
