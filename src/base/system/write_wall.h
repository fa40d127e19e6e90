/* SPDX-License-Identifier: Apache-2.0 */
/* write_wall - a process that changes no file but below one directory (Landlock).
 *
 * For a child that was just forked and will execute a program on hostile bytes: what
 * that program may read stays as it is; what it writes, makes, links and removes is
 * below the directory, whatever path or link the bytes led it to.  It holds for all
 * that the process executes.
 *
 * A kernel without Landlock, or whose Landlock cannot link between directories (before
 * 5.19), lacks that wall.
 *
 * Threads  none: of the calling one alone.
 */
#ifndef BASE_SYSTEM_WRITE_WALL_H
#define BASE_SYSTEM_WRITE_WALL_H

/* no_new_privs is set before.  Errors: what open(2) and landlock_restrict_self(2)
 * return; 0 also where the kernel has no such wall. */
int write_wall_enter(const char *directory);

#endif
