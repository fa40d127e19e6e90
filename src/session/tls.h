/* SPDX-License-Identifier: Apache-2.0 */
/* tls - TLS 1.3 by the session's key, without sockets: bytes in, bytes out.
 *
 *     wire ──▶ session_tls_feed ──▶ plain          plain ──▶ session_tls_write ──▶ wire
 *
 * An external PSK with ECDHE: TLS_AES_128_GCM_SHA256, P-256, no tickets, no
 * certificates, no older version.  Who has not the key gets no further than his first
 * message.
 * Threads  a context is used by one thread, and so is what is made of it.
 */
#ifndef SESSION_TLS_H
#define SESSION_TLS_H

#include "base/strbuf.h"
#include "session/key.h"

#include <stdbool.h>

#define TLS_EXPORTER_BYTES 32

struct session_tls;     /* a key, ready to be used */
struct session_tls_end; /* one end of one connection */

enum session_tls_role {
    TLS_CONNECTS,
    TLS_ACCEPTS,
};

/* name: the session's, which both ends show in the clear.  Errors: -ENOMEM, -EIO. */
int session_tls_new(const struct session_key *key, const char *name,
                    struct session_tls **ret, struct err *err);
void session_tls_free(struct session_tls *tls);
DEFINE_AUTO(struct session_tls, session_tls_free);

/* Errors: -ENOMEM. */
int session_tls_open(struct session_tls *tls, enum session_tls_role role,
                     struct session_tls_end **ret);
void session_tls_close(struct session_tls_end *end);

/* data came from the peer (nothing: to begin).  What it was goes to plain, what has to
 * be sent to wire.  Errors: -EBADMSG (err: OpenSSL's reason), -ENOMEM. */
int session_tls_feed(struct session_tls_end *end, struct span data,
                     struct strbuf *plain, struct strbuf *wire, struct err *err);
/* The peer has shown that it has the key: its first message did. */
bool session_tls_has_key(const struct session_tls_end *end);
/* The handshake is over. */
bool session_tls_is_open(const struct session_tls_end *end);
/* Only when it is open.  Errors: -EPIPE, -ENOMEM. */
int session_tls_write(struct session_tls_end *end, struct span plain,
                      struct strbuf *wire);
/* Bytes that both ends have and no other connection has.  Errors: -EPIPE. */
int session_tls_exporter(struct session_tls_end *end,
                         uint8_t ret[static TLS_EXPORTER_BYTES]);

#endif
