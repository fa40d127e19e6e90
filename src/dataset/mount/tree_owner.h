/* SPDX-License-Identifier: Apache-2.0 */
/* tree_owner - a copy of a mount in which what root owns is a user's; private to the
 * room.
 *
 * Images have files of root alone.  So that a user can write in a view of one, and be
 * root of it in a user namespace, that number is the user's in this copy: nothing
 * outside of it, and not in any other copy.
 * Threads  none; it forks.
 */
#ifndef DATASET_MOUNT_TREE_OWNER_H
#define DATASET_MOUNT_TREE_OWNER_H

#include "base/err.h"

#include <sys/types.h>

/* tree: a copy that is mounted nowhere.  Errors: those of unshare(2)
 * (-ENOSPC: too many user namespaces) and mount_setattr(2); -EINVAL: the kernel has
 * this not for EROFS (before 5.19). */
int tree_own(int tree, uid_t uid, gid_t gid);

#endif
