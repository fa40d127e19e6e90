/* SPDX-License-Identifier: Apache-2.0 */
/* text - series out of what monitors print: mmperfmon, mmpmon, LMT's strings. */
#ifndef CLIENT_SERIES_TEXT_H
#define CLIENT_SERIES_TEXT_H

#include "client/series/opts.h"
#include "source/lmt/lmt.h"

/* Whether path is such text, plain or compressed, by its first bytes; or a directory,
 * or a tar archive.  What cannot be opened is none. */
bool series_text_is(const char *path);

/* Open all text of path, a file, a directory or a tar archive of such files; *ret is
 * the caller's.  Lines that cannot be read are logged, the first of a file in full, the
 * others as their number; files of another kind are skipped and logged.
 * Errors: what open says, -EBADMSG (nothing of it is a series; the archive is damaged),
 * -EFBIG (too many files), -EMSGSIZE (a file over 2 GiB), -ENOMEM. */
int series_text_open(const char *path, const struct series_opts *way,
                     const struct lmt_opts *opts, struct lmt_series **ret,
                     struct err *err);

#endif
