/* SPDX-License-Identifier: Apache-2.0 */
/* refused - the ring of files in refused/: what no server accepts, for a person to look
 * at.
 *
 *     refused/00.json.zst ... 99.json.zst   the newest REFUSED_FILES_MAX of them
 *
 * Threads  one at a time.
 */
#ifndef SPOOL_REFUSED_H
#define SPOOL_REFUSED_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

#define REFUSED_FILES_MAX 100

struct refused;

/* dir is copied, and made with the first file.  The next file's number follows that of
 * the newest one, by the time of writing: what the process before has set aside is
 * overwritten last.  Errors: -ENOMEM. */
int refused_open(const char *dir, struct refused **ret);
void refused_free(struct refused *refused);
DEFINE_AUTO(struct refused, refused_free);

/* Store the payload; *path is replaced by the file's.  Errors: -ENOMEM, what making the
 * directory and writing return; then nothing was stored, and the next has its number.
 */
int refused_store(struct refused *refused, struct span payload, struct strbuf *path,
                  struct err *err);

/* The number of the next file: 0 .. REFUSED_FILES_MAX - 1. */
unsigned refused_next(const struct refused *refused);

#endif
