/* SPDX-License-Identifier: Apache-2.0 */
/* comparison - one entry of one dump, against what it showed last.  Inside the room
 * only. */
#ifndef OBSERVE_COMPARISON_H
#define OBSERVE_COMPARISON_H

#include "observe/remount.h"

/* What an entry reveals of its target's mount, while it is not settled whether the
 * target was mounted anew. */
struct evidence {
    struct generation *generation; /* NULL: nothing is known of the entry */
    bool is_seen;      /* it stood in this dump already, and was compared then */
    bool is_continued; /* it certainly goes on, and with it the mount */
    enum remount_sign sign;
};

/* Changes nothing.  Errors: -EBADMSG (what is remembered is damaged). */
int comparison_evidence(struct observe_target *target, const struct entry *entry,
                        struct evidence *ret);
/* Compare, remember, emit the rows; target->settled states what happened to the mount.
 * Errors: what fn returned, -ENOMEM, -EBADMSG, -ENOBUFS. */
int comparison_take(struct observe_target *target, const struct entry *entry);

#endif
