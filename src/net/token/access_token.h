/* SPDX-License-Identifier: Apache-2.0 */
/* access_token - a signed text that states who its bearer is: doc/formats/token.md.
 *
 *     base64url(payload JSON) "." base64url(Ed25519 signature)
 *
 * The private key stays with the administrator; a server has the public key only, and
 * a list of the ids that were revoked.
 * Threads  a key is read-only after loading: any.
 */
#ifndef NET_TOKEN_ACCESS_TOKEN_H
#define NET_TOKEN_ACCESS_TOKEN_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "net/token/token_key.h"

/* Bits, so that a route can name several.  What each may see: access/decision.h. */
enum net_role {
    NET_ROLE_NONE = 0,
    NET_ROLE_READER = 1 << 0,
    NET_ROLE_AGENT = 1 << 1,
    NET_ROLE_ADMIN = 1 << 2,
    NET_ROLE_SCHEDULER = 1 << 3, /* submits jobs, and reads */
    NET_ROLE_USER = 1 << 4,      /* a person: sees the jobs of that user */
    NET_ROLE_MANAGER = 1 << 5,   /* likewise, and the jobs of some accounts */
    NET_ROLE_SUPPORT = 1 << 6,   /* a person who reads all */
    NET_ROLE_API = 1 << 7,       /* a program that reads all and submits jobs */
    NET_ROLE_NODE = 1 << 8,      /* a node of sessions: whose key is whose; no client */
};

const char *net_role_name(enum net_role role);
int net_role_parse(struct span name, enum net_role *ret); /* -EINVAL */

enum {
    TOKEN_TEXT_MAX = 4096,
    TOKEN_HOST_MAX = 255,
    TOKEN_TARGETS_MAX = 16,
    TOKEN_PATTERN_MAX = 128,
    TOKEN_ID_SIZE = 37, /* a UUID with its NUL */
    TOKEN_USER_MAX = 255,
    TOKEN_ACCOUNTS_MAX = 16,
    TOKEN_ACCOUNT_MAX = 128,
};

struct token {
    enum net_role role;
    char id[TOKEN_ID_SIZE];
    char host[TOKEN_HOST_MAX + 1];    /* an agent's own; "": it carries many */
    char cluster[TOKEN_HOST_MAX + 1]; /* whose metrics, jobs and summaries it may
                                         write, of users and managers: whose jobs it
                                         sees; "": every one's */
    char user[TOKEN_USER_MAX + 1];    /* of users and managers: their name */
    size_t account_count;             /* of managers */
    char accounts[TOKEN_ACCOUNTS_MAX][TOKEN_ACCOUNT_MAX + 1];
    size_t target_count; /* 0: every target */
    char targets[TOKEN_TARGETS_MAX][TOKEN_PATTERN_MAX + 1];
    bool has_key; /* of nodes: the public half of the host's key */
    unsigned char key[TOKEN_KEY_SIZE];
    int64_t issued_s;
    int64_t expires_s;
};

/* Whether text can name a user or an account: 1 .. size_max bytes of UTF-8 without
 * control characters, no blank at either end. */
bool token_is_name(struct span text, size_t size_max);

/* Whether it may write what is of cluster. */
bool token_may_cluster(const struct token *token, struct span cluster);
bool token_may_target(const struct token *token, struct span target);

/* Append the token's text.  Errors: -EINVAL (no private half, bad fields), -EIO. */
int token_sign(const struct token_key *key, const struct token *token,
               struct strbuf *out, struct err *err);

/* What the text says, unverified: for people ("baro token show").  -EBADMSG. */
int token_parse(struct span text, struct token *ret, struct err *err);
/* Signature and times.  Errors: -EPERM with the reason for a person. */
int token_verify(const struct token_key *key, struct span text, int64_t now_s,
                 struct token *ret, struct err *err);

/* The revocation list: one id a line, '#' begins a comment.  The ids are put into
 * revoked.  Errors: -EINVAL (a line that is no id: err has its number), -ENOMEM. */
int token_revoked_parse(struct span text, struct hashmap *revoked, struct err *err);

#endif
