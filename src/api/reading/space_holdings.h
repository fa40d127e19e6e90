/* SPDX-License-Identifier: Apache-2.0 */
/* space_holdings - what users, groups or projects hold on targets, out of the metric
 * store.
 *
 *     lustre/oss01/ost:scratch-OST0001/user:1001 ─▶ its newest value (space_holdings)
 *     the holdings of one owner ─▶ their sum, step by step (space_holdings_history)
 *
 * Threads  one worker's.
 */
#ifndef API_READING_SPACE_HOLDINGS_H
#define API_READING_SPACE_HOLDINGS_H

#include "analysis/space/space.h"
#include "api/reading/space_targets.h"

struct space_holdings {
    struct arena arena;
    struct space_holding *items; /* their texts are the arena's */
    size_t count, capacity;
};

/* Of "user", "group" or "project"; values that are older than stale_ns before the end
 * of the range are none.  ret is the caller's in any case, to space_holdings_done().
 * Errors: as space_targets_read(). */
int space_holdings_read(const struct space_targets_opts *opts, const char *kind,
                        int64_t stale_ns, struct space_holdings *ret, struct err *err);
void space_holdings_done(struct space_holdings *holdings);
DEFINE_AUTO_DONE(struct space_holdings, space_holdings_done);

/* The sum of the owner's current holdings of bytes or inodes in each step of the range,
 * into value_count values; NaN: one of them was not read.  Errors: those of reading,
 * -ENOMEM. */
int space_holdings_history(const struct space_targets_opts *opts, const char *kind,
                           const struct space_owner *owner, enum space_what what,
                           double *values);

#endif
