/* SPDX-License-Identifier: Apache-2.0 */
/* lockfile - a file that one process holds, and that names it.
 *
 * The lock is the kernel's (flock): it ends with the process, however that ends.  The
 * file stays, with the last holder's process id in it.
 */
#ifndef BASE_SYSTEM_LOCKFILE_H
#define BASE_SYSTEM_LOCKFILE_H

#include "base/err.h"

/* Hold path until *ret_fd is closed; made with mode 0600 where it is not there.  Waits
 * as file_lock() does.  Errors: -EBUSY (err names the process that has it), what open
 * says. */
int lockfile_take(const char *path, int *ret_fd, struct err *err);

#endif
