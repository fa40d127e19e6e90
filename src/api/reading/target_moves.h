/* SPDX-License-Identifier: Apache-2.0 */
/* target_moves - which targets of file systems moved to another server, out of the
 * metric store.
 *
 *     lustre/oss01/ost:scratch-OST0001   ● ● ●            last at oss01 ┐
 *     lustre/oss02/ost:scratch-OST0001             ● ● ●  first at oss02 ┴▶ a move
 *
 * Between both times no server reported the target.  What a server measures of its
 * targets is there at each round of its agent, so the times are exact to a round.  A
 * target that two servers report by turns more than TARGET_MOVES_EACH_MAX times did not
 * move so often: of it nothing is reported.
 *
 * Threads  one worker's.
 */
#ifndef API_READING_TARGET_MOVES_H
#define API_READING_TARGET_MOVES_H

#include "base/err.h"
#include "base/system/budget.h"
#include "base/table/table.h"
#include "store/store.h"

#define TARGET_MOVES_EACH_MAX 6

struct target_moves_opts {
    struct metric_store *store;
    int (*watch)(void *arg); /* shall the reading go on?  Below 0: not.  NULL: always */
    void *watch_arg;
    const char *fs;           /* a pattern */
    int64_t from_ns, to_ns;   /* samples in [from_ns, to_ns) */
    struct budget_hold *hold; /* is charged for what is read */
};

/* Rows by target, then by time: columns cluster, target, from_server, to_server, last
 * and first (times).  ret is initialised and empty.
 * Errors: -ENOENT (no server has sent anything of such a file system's targets), what
 * watch and the hold report, those of reading, -ENOMEM. */
int target_moves_read(const struct target_moves_opts *opts, struct table *ret,
                      struct err *err);

#endif
