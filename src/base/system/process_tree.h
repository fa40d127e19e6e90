/* SPDX-License-Identifier: Apache-2.0 */
/* process_tree - a child of ours with all that it started, killed as one.
 *
 * All of them are stopped first, so that none starts another meanwhile.  One whose
 * parent has ended belongs to init and is not found, unless it is in the group.
 *
 * Bounds   PROCESS_TREE_MAX processes outside the group; the others are left.
 * Threads  any; nothing is allocated but by opendir().
 */
#ifndef BASE_SYSTEM_PROCESS_TREE_H
#define BASE_SYSTEM_PROCESS_TREE_H

#include <sys/types.h>

#define PROCESS_TREE_MAX 1024

/* leader: a child that was not waited for, first of a group of its own. */
void process_tree_kill(pid_t leader);

#endif
