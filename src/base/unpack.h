/* SPDX-License-Identifier: Apache-2.0 */
/* unpack - the bytes of a file as they were before they were compressed.
 *
 * Plain, gzip, zstd, bzip2 and xz are recognised by the first bytes, whatever the file
 * is called; several compressed pieces may follow one another.  "-" is standard input.
 *
 * Memory   128 KiB, and what the format needs: at most 128 MiB (zstd), 256 MiB (xz).
 * Threads  none inside.
 */
#ifndef BASE_UNPACK_H
#define BASE_UNPACK_H

#include "base/cleanup.h"
#include "base/err.h"

struct unpack;

/* path must outlive *ret.  Errors: what open says, -ENOMEM; -EBADMSG with the remedy
 * for what is known and no text: ZIP, SQLite, Parquet, HDF5, UTF-16. */
int unpack_open(const char *path, struct unpack **ret, struct err *err);
void unpack_close(struct unpack *unpack);
DEFINE_AUTO(struct unpack, unpack_close);

/* Up to size bytes; 0 at the end.  Errors: -EBADMSG (cut short, damaged), -EIO,
 * -ENOMEM.
 */
ssize_t unpack_read(struct unpack *unpack, void *ret, size_t size, struct err *err);

#endif
