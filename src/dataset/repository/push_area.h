/* SPDX-License-Identifier: Apache-2.0 */
/* push_area - DIR/pushes: how much each user may have there, and what is old. */
#ifndef DATASET_REPOSITORY_PUSH_AREA_H
#define DATASET_REPOSITORY_PUSH_AREA_H

#include "dataset/repository/push.h"
#include "dataset/repository/store.h"

/* Of all pushes, so that no two promise the same space, and of the user's. */
struct push_area_lock {
    int fd, user_fd; /* -1 */
};
void push_area_lock_done(struct push_area_lock *lock);
DEFINE_AUTO_DONE(struct push_area_lock, push_area_lock_done);
/* Makes dir, if its user may have so much there, and the disk has the space beside what
 * pushes under way may still write; *ret is held until part has its size.  Errors:
 * -EDQUOT, -ENOSPC. */
int push_area_admit(struct repository *r, const struct push_terms *terms,
                    const char *dir, struct push_area_lock *ret, struct err *err);
/* Whether so much can be written where fd is, and a twentieth stays free. */
int push_area_space(int fd, uint64_t bytes, struct err *err);

#endif
