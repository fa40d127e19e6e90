/* SPDX-License-Identifier: Apache-2.0 */
/* access_client - who makes a request, as far as it decides what that client may see.
 *
 * What spans point to belongs to the room that filled it, and is valid as long as the
 * request.
 */
#ifndef ACCESS_ACCESS_CLIENT_H
#define ACCESS_ACCESS_CLIENT_H

#include "base/span_type.h"
#include "base/strbuf.h"
#include "net/token/token.h"

struct access_client {
    unsigned roles;      /* NET_ROLE_*, with those that they imply */
    struct span user;    /* a name; size 0: not known */
    struct span uid;     /* in digits; size 0: not known */
    struct span cluster; /* of users: whose jobs alone they see; size 0: every one's */
    const struct span *accounts; /* of managers */
    size_t account_count;
    /* Those of the host that rules name, of who signed in by a password. */
    const struct span *groups;
    size_t group_count;
};

/* roles and what they imply: who submits jobs reads, a manager is a user. */
unsigned access_roles_expand(unsigned roles);
/* For people: the one of them that may most. */
const char *access_roles_name(unsigned roles);
/* For people: each role to which what these roles may do is permitted, with commas. */
void access_roles_list(unsigned roles, struct strbuf *out);
/* Whether the client is one person, who sees the jobs of that person. */
bool access_client_is_person(const struct access_client *client);

#endif
