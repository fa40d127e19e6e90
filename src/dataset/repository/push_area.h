/* SPDX-License-Identifier: Apache-2.0 */
/* push_area - DIR/pushes: how much each user may have there, and what is old. */
#ifndef DATASET_REPOSITORY_PUSH_AREA_H
#define DATASET_REPOSITORY_PUSH_AREA_H

#include "dataset/repository/push.h"
#include "dataset/repository/store.h"

/* Makes dir, if its user may have so much there; *ret_lock is the lock of the user's
 * others, until it is closed.  Errors: -EDQUOT, -ENOSPC. */
int push_area_admit(struct repository *r, const struct push_terms *terms,
                    const char *dir, int *ret_lock, struct err *err);

#endif
