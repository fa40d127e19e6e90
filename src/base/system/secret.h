/* SPDX-License-Identifier: Apache-2.0 */
/* secret - files that only their owner may read, and texts with passwords in them.
 *
 * A file with a secret is used when root or this process's user owns it and no other
 * user can read or change it.  What root owns may be readable by a group (0640): so a
 * package gives a file to its service (doc/decisions/0353).
 */
#ifndef BASE_SYSTEM_SECRET_H
#define BASE_SYSTEM_SECRET_H

#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdbool.h>

/* Append what is in path to buf.  The file that is read is the one that is judged.
 * Errors: -EACCES (err has mode, owner and remedy), as file_read(). */
int secret_read(const char *path, size_t size_max, struct strbuf *buf, struct err *err);
/* Judge path without reading it: for libraries that open it themselves. */
int secret_check(const char *path, struct err *err);
/* A new file of mode 0600 with text and a line end, durable.  Errors: -EEXIST and what
 * else open says. */
int secret_create(const char *path, struct span text, struct err *err);

/* Whether text holds a password: of a connection string ("password=..."), or of a URL
 * ("nats://user:password@host", "?password="). */
bool secret_is_in(struct span text);
/* Append text, with *** for each of them: for logs and errors. */
void secret_print(struct strbuf *out, struct span text);

#endif
