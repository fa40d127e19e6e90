/* SPDX-License-Identifier: Apache-2.0 */
/* access_rules - what the configuration grants to persons: the section [access].
 *
 *     proxy_user_header = X-Remote-User      a proxy on the unix socket, known by its
 *     proxy_user = www-data                  uid, names the person in a header
 *     socket_role = user                     persons on the unix socket by their uid
 *     manager = carol: phys, chem            however the person is named; but a token's
 *     support = dave                         role binds
 *     support = @helpdesk                    a group of the host, of who signed in
 *     admin = erin
 *
 * Names are looked up once, at the start: no directory service while a client waits.
 *
 * Threads  read-only after access_rules_new(): any.
 */
#ifndef ACCESS_ACCESS_RULES_H
#define ACCESS_ACCESS_RULES_H

#include "access/access_client.h"
#include "base/config.h"

#include <sys/types.h>

struct access_opts {
    const char *proxy_user_header; /* "" or NULL: no proxy names users */
    struct config_list proxy_users;
    const char *socket_role; /* "reader" (also NULL) or "user" */
    struct config_list managers;
    struct config_list support;
    struct config_list admins;
};

enum {
    ACCESS_GROUPS_MAX = 32,
    ACCESS_ACCOUNTS_MAX =
        TOKEN_ACCOUNTS_MAX, /* of one manager, by all rules together */
};

extern const struct config_section access_config_section;

struct access_rules;

/* opts must outlive the rules.  Errors: -EINVAL (err names key and value), -ENOMEM. */
int access_rules_new(const struct access_opts *opts, struct access_rules **ret,
                     struct err *err);
void access_rules_free(struct access_rules *rules);
DEFINE_AUTO(struct access_rules, access_rules_free);

/* The header in which clients of this uid name a person; NULL: they are themselves. */
const char *access_rules_proxy_header(const struct access_rules *rules, uid_t uid);
/* The role of a client on the unix socket that has no other: reader, or user. */
enum net_role access_rules_socket_role(const struct access_rules *rules);
/* Grant the person what the rules name it for, by name, uid or group, with
 * access_rules_add_accounts. */
bool access_rules_grant(const struct access_rules *rules, struct access_client *client,
                        struct span accounts[static ACCESS_ACCOUNTS_MAX]);
/* The groups that rules name, without "@"; as long as the rules. */
const struct span *access_rules_groups(const struct access_rules *rules,
                                       size_t *ret_count);
/* To a manager without accounts of its own (of its token) those of every rule that
 * fits, each once: in accounts, which has to be there as long as the client; the texts
 * are the rules'.  Returns whether that were all: one user's are, but of the groups of
 * one who is in many there can be more. */
bool access_rules_add_accounts(const struct access_rules *rules,
                               struct access_client *client,
                               struct span accounts[static ACCESS_ACCOUNTS_MAX]);

#endif
