/* SPDX-License-Identifier: Apache-2.0 */
/* key - the session's key: 32 bytes drawn at random, as 64 digits in a file.
 *
 * Who has it may join the session.  It is in a file of mode 0600 only: never in an
 * argument, in the environment or in a message.
 */
#ifndef SESSION_KEY_H
#define SESSION_KEY_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdint.h>

#define SESSION_KEY_BYTES 32

struct session_key {
    uint8_t bytes[SESSION_KEY_BYTES];
};

void session_key_done(struct session_key *key); /* nothing of it stays in memory */
DEFINE_AUTO_DONE(struct session_key, session_key_done);

/* A new one, in memory alone.  Errors: -EIO (no random bytes). */
int session_key_draw(struct session_key *ret);
/* As 64 digits, and back.  Errors: -EINVAL; *ret is then to be forgotten. */
void session_key_print(const struct session_key *key, struct strbuf *out);
int session_key_parse(struct span text, struct session_key *ret);
/* Make a new one in path.  Errors: -EEXIST, errno of open, -EIO (no random bytes). */
int session_key_create(const char *path, struct err *err);
/* Errors: -EACCES (others may read it), -EINVAL (not 64 digits), errno of open. */
int session_key_read(const char *path, struct session_key *ret, struct err *err);

#endif
