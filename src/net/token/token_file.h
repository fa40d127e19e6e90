/* SPDX-License-Identifier: Apache-2.0 */
/* token_file - a file with one token, read again when another one was put in its place.
 *
 * Threads  none inside: one belongs to one thread at a time.
 */
#ifndef NET_TOKEN_TOKEN_FILE_H
#define NET_TOKEN_TOKEN_FILE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

struct token_file;

/* Errors: what secret_read() says, -EINVAL (more than one line), -ENOMEM. */
int token_file_open(const char *path, struct token_file **ret, struct err *err);
void token_file_free(struct token_file *file);
DEFINE_AUTO(struct token_file, token_file_free);

/* Read it when inode, size or time of change are others than before; returns 1 when the
 * token is another one, 0 when it is not.  Errors: as token_file_open(); then the old
 * token stays, and the file is read again at the next call. */
int token_file_refresh(struct token_file *file, struct err *err);
/* Read it at the next refresh whatever its times say: a server did not accept it. */
void token_file_doubt(struct token_file *file);

/* Without blanks and line end; valid until the next refresh. */
struct span token_file_text(const struct token_file *file);

#endif
