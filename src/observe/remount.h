/* SPDX-License-Identifier: Apache-2.0 */
/* remount - the signs that a target was mounted anew, and the entries that wait until
 * that is settled.  Inside the room only. */
#ifndef OBSERVE_REMOUNT_H
#define OBSERVE_REMOUNT_H

#include "observe/target.h"

enum remount_sign { REMOUNT_NO_SIGN, REMOUNT_PERHAPS, REMOUNT_CERTAIN };

struct waiting {
    struct waiting *next;
    struct entry *entry; /* in the target's arena */
};

/* Had the generation been idle for less than the cleanup interval at at_ms (by the
 * caller's clock), so that the server cannot have removed it? */
bool remount_is_recent(const struct observe_target *target,
                       const struct generation *generation, int64_t at_ms);
void remount_begin(struct observe_target *target);
/* entry is copied.  Errors: -ENOBUFS (too many wait). */
int remount_wait(struct observe_target *target, const struct entry *entry,
                 enum remount_sign sign);
/* What follows from the signs seen so far, and from gone entries that no cleanup can
 * have removed. */
enum settled remount_judge(const struct observe_target *target, size_t gone);

#endif
