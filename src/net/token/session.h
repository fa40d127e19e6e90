/* SPDX-License-Identifier: Apache-2.0 */
/* session - tokens that a server issued itself, to persons who signed in.
 *
 *     session_issue ─▶ 43 characters for a cookie ─▶ session_find ─▶ who it is
 *                      only their SHA-256 is stored       │
 *     session_end, the time, a restart ───────────────────┴─▶ it holds no more
 *
 * The value is random and means nothing outside the process: there is no key with which
 * another one could be made, and nothing of it on disk.  Found by its hash, so that the
 * time of a search states nothing about the values.
 *
 * Units    seconds since the Unix epoch.
 * Threads  any: one lock, held for one lookup; the value is hashed without it.
 */
#ifndef NET_TOKEN_SESSION_H
#define NET_TOKEN_SESSION_H

#include "net/token/access_token.h"

enum {
    SESSION_TEXT_SIZE = 44,    /* of 32 bytes, with the NUL */
    SESSIONS_MAX = 10000,      /* more end the one that ends first */
    SESSIONS_OF_USER_MAX = 16, /* likewise */
};

struct session {
    struct token
        token;      /* user, accounts, id, issued_s, expires_s; role: the strongest */
    unsigned roles; /* NET_ROLE_*, with those that they imply */
};

struct sessions;

/* Errors: -ENOMEM. */
int sessions_new(struct sessions **ret);
void sessions_free(struct sessions *sessions);
DEFINE_AUTO(struct sessions, sessions_free);

/* The session of *session, of which id and issued_s are filled in here.
 * Errors: -EIO (no random bytes), -ENOMEM. */
int session_issue(struct sessions *sessions, struct session *session, int64_t now_s,
                  char text[static SESSION_TEXT_SIZE]);
/* Errors: -EPERM (none, or it has ended). */
int session_find(struct sessions *sessions, struct span text, int64_t now_s,
                 struct session *ret);
/* Returns whether it was one; ret, which may be NULL, has whose. */
bool session_end(struct sessions *sessions, struct span text, struct session *ret);
/* How many have not ended. */
size_t sessions_count(struct sessions *sessions);

#endif
