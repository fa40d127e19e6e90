/* SPDX-License-Identifier: Apache-2.0 */
/* input - a file that is read from front to back, whether compressed or not.
 *
 * What packed it is recognized by its first bytes (base/unpack.h); anything else is
 * read as it is.
 *
 * Memory   a buffer of 128 KiB and what unpacking takes, whatever the size of the file.
 * Threads  none inside.
 */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stddef.h>

struct input;

/* path "-" is standard input; it must outlive *ret.  Errors: what open says (err names
 * the path), -EBADMSG (it is no text: ZIP, SQLite, Parquet ...), -ENOMEM. */
int input_open(const char *path, struct input **ret, struct err *err);
void input_close(struct input *input);
DEFINE_AUTO(struct input, input_close);

/* The next piece: valid until the next call; *ret_size is 0 at the end.
 * Errors: what read says, -EBADMSG (what is compressed is damaged or cut). */
int input_read(struct input *input, const char **ret_data, size_t *ret_size,
               struct err *err);

/* Append all of a file to buf.  Errors: as above, -EMSGSIZE (over size_max bytes). */
int input_read_all(const char *path, size_t size_max, struct strbuf *buf,
                   struct err *err);

#endif
