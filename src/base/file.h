/* SPDX-License-Identifier: Apache-2.0 */
/* file - whole files, safely.
 *
 * Errors: -errno with a line in err that names the path.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"
#include "base/strbuf.h"

#include <sys/types.h>

/* Append what is in path to buf; -EMSGSIZE beyond size_max. */
int file_read(const char *path, size_t size_max, struct strbuf *buf, struct err *err);
int file_read_fd(int fd, size_t size_max, struct strbuf *buf);

/* Write beside path, fdatasync, rename over it, fsync the directory: either the old or
 * the new content is there after any crash. */
int file_replace(const char *path, const void *data, size_t size, mode_t mode,
                 struct err *err);

/* A file without a name that has text, for what reads by a path: path is where it can
 * be opened until fd is closed, with which it goes. */
#define FILE_OF_TEXT_PATH_SIZE 40
int file_of_text(struct span text, int *ret_fd,
                 char path[static FILE_OF_TEXT_PATH_SIZE], struct err *err);

/* -errnum, as all of these say it: a quota that is used up (EDQUOT) is a full disk. */
int file_error(int errnum);

int file_write_all(int fd, const void *data, size_t size);
int file_sync_dir(const char *dir, struct err *err);
/* mkdir -p. */
int file_make_dirs(const char *path, mode_t mode, struct err *err);

/* Lock a whole open file for this process; the lock goes when fd is closed.  Waits two
 * seconds before it says -EBUSY: a process killed between fork and exec of its child
 * leaves a lock to that child until it execs, and what starts again at once should not
 * give up for it. */
int file_lock(int fd);

#endif
