/* SPDX-License-Identifier: Apache-2.0 */
/* site_numbers - the file with the highest number that an event for the site may have
 * been sent with: the next process of the same session goes on behind it.
 *
 *     site.numbers   "00000000000000000064": of one width, written in place, so that it
 *                    is never partly another number, and needs no place on a full disk
 *
 * Threads  one at a time.
 */
#ifndef JOBSESSION_SITE_SITE_NUMBERS_H
#define JOBSESSION_SITE_SITE_NUMBERS_H

#include "base/err.h"

#include <stdint.h>

/* What it has, 0 of a new one, and that it can be written.  *ret_fd is -1 after an
 * error: -EBADMSG (no number), those of open and write. */
int site_numbers_open(const char *path, int *ret_fd, uint64_t *ret, struct err *err);
/* Errors: those of write; -EIO. */
int site_numbers_write(int fd, uint64_t number);
/* Can one that goes on go on with it?  Errors: as of open, -ENOENT. */
int site_numbers_check(const char *path, struct err *err);

#endif
