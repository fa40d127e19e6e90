/* SPDX-License-Identifier: Apache-2.0 */
/* identity - who a node is, and how it checks who another one is.
 *
 *     the site's key signs ──▶ token: host, public key ──▶ shown to any peer, no secret
 *     the host's key signs ──▶ hello of one connection, one event
 *
 * A node has its own key and token, the site's public key and its list of revoked ids;
 * no node shows another anything that it could use in its name.
 * Threads  one, the session's.
 */
#ifndef SESSION_IDENTITY_H
#define SESSION_IDENTITY_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

#define IDENTITY_TOKEN_MAX 1024
#define IDENTITY_ID_SIZE 37 /* a UUID with its NUL */
#define IDENTITY_EXPORTER_BYTES 32

struct session_identity;
struct token_key;
struct session_opts;
struct session_plan;

/* What is signed is no other thing's signature. */
enum identity_use {
    IDENTITY_HELLO,   /* of a child */
    IDENTITY_WELCOME, /* of a parent */
    IDENTITY_PUBLISH, /* by its origin, on its way to the control node */
    IDENTITY_EVENT,   /* by the control node */
};

struct identity_claim {
    enum identity_use use;
    const char *host;  /* whose it has to be */
    struct span bound; /* to what it is bound: the exporter of a connection, or empty */
    struct span signed_text;
    struct span token, signature;
};

/* What of a peer's token is looked at again while it is connected. */
struct identity_hold {
    char id[IDENTITY_ID_SIZE]; /* "": none */
    int64_t expires_s;
};

/* Read, and where there is none make, this node's key; read its token, the site's key
 * and the list.  Errors: -EINVAL with key and remedy, what reading reports. */
int identity_open(const struct session_opts *opts, const struct session_plan *plan,
                  struct session_identity **ret, struct err *err);
/* The same of what is known already: for one process that plays many nodes. */
int identity_of(struct token_key *own, struct span token, struct token_key *site,
                const char *session, uint64_t hosts_digest,
                struct session_identity **ret);
void identity_free(struct session_identity *identity);
DEFINE_AUTO(struct session_identity, identity_free);

struct span identity_token(const struct session_identity *identity);
/* Append the signature.  Errors: -EIO, -ENOMEM. */
int identity_sign(const struct session_identity *identity, enum identity_use use,
                  struct span bound, struct span text, struct strbuf *out);
/* Errors: -EPERM with the reason for a person.  hold may be NULL. */
int identity_check(struct session_identity *identity,
                   const struct identity_claim *claim, struct identity_hold *hold,
                   struct err *err);
/* Read the list of revoked ids where it has changed.  Errors: what reading reports; the
 * old one stays. */
int identity_refresh(struct session_identity *identity, struct err *err);
/* Whether the token of a peer still holds. */
bool identity_holds(const struct session_identity *identity,
                    const struct identity_hold *hold);

#endif
