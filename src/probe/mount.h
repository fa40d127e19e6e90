/* SPDX-License-Identifier: Apache-2.0 */
/* mount - where the file system that is measured begins, and its lock.
 *
 *     /scratch/me/probes     device 41
 *     /scratch/me            device 41
 *     /scratch               device 41  ◀ the mount point: what is locked
 *     /                      device 8
 *
 * The lock is an flock(2) of the directory, for which nothing is written: all campaigns
 * on this host that measure the file system exclude each other, whatever their
 * directories and archives are.  Other hosts see it where the file system's client
 * passes locks on, which most do for files only: there a file is named as the lock.
 */
#ifndef PROBE_MOUNT_H
#define PROBE_MOUNT_H

#include "base/err.h"

#include <stddef.h>

/* The topmost directory above dir, or dir, that is on the same device.
 * Errors: what realpath and stat return, -ENAMETOOLONG. */
int mount_find(const char *dir, char *ret, size_t ret_size, struct err *err);

/* Lock path, which is made as a file where it does not exist; NULL: the mount point of
 * dir, or the topmost directory below it that may be read.  The lock lasts until
 * *ret_fd is closed.  Errors: -EBUSY (another campaign has it), what open and flock
 * return. */
int mount_lock(const char *path, const char *dir, int *ret_fd, struct err *err);

#endif
