/* SPDX-License-Identifier: Apache-2.0 */
/* access_rules - what the configuration grants to persons. */
#include "access/access_rules.h"

#include "base/number.h"
#include "base/span.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PASSWD_BYTES ((size_t)64 << 10)

static const struct config_key keys[] = {
    { "proxy_user_header", CONFIG_TEXT, offsetof(struct access_opts, proxy_user_header),
      "", 0, 0,
      "Header in which a proxy on the unix socket names the user that it "
      "authenticated, such as X-Remote-User. Empty: no proxy does." },
    { "proxy_user", CONFIG_LIST, offsetof(struct access_opts, proxy_users), NULL, 0, 0,
      "Name or uid that the proxy runs as; may be repeated. Its requests have the "
      "permissions of the user in the header, and without one none." },
    { "socket_role", CONFIG_TEXT, offsetof(struct access_opts, socket_role), "reader",
      0, 0,
      "Role of users on the unix socket who are neither admin nor scheduler: reader, "
      "or user, who sees the jobs of that uid." },
    { "manager", CONFIG_LIST, offsetof(struct access_opts, managers), NULL, 0, 0,
      "USER: ACCOUNT, ACCOUNT: a user who sees the jobs of these accounts, too; may be "
      "repeated. @GROUP for USER: each who signs in and is in that group of the "
      "host." },
    { "support", CONFIG_LIST, offsetof(struct access_opts, support), NULL, 0, 0,
      "USER, or @GROUP, who sees all; may be repeated." },
    { "admin", CONFIG_LIST, offsetof(struct access_opts, admins), NULL, 0, 0,
      "USER, or @GROUP, who may do all that an admin may; may be repeated. What "
      "changes "
      "something needs more than a cookie." },
};

const struct config_section access_config_section = {
    .kind = "access",
    .keys = keys,
    .key_count = COUNT_OF(keys),
    .help = "Who sees which jobs. Tokens have roles of their own.",
};

/* What is granted to one user or group; of managers, by all their rules. */
struct rule {
    struct span user;
    char uid[12];       /* "": the host has no such user */
    bool is_group;      /* user is the name of a group */
    enum net_role role; /* that it grants */
    struct span accounts[ACCESS_ACCOUNTS_MAX];
    size_t account_count;
};

struct access_rules {
    const char *header; /* NULL: none */
    enum net_role socket_role;
    uid_t *proxies;
    size_t proxy_count;
    struct rule *rules;
    size_t rule_count;
    struct span groups[ACCESS_GROUPS_MAX]; /* of the rules, each once */
    size_t group_count;
};

void access_rules_free(struct access_rules *rules)
{
    if (!rules)
        return;
    free(rules->proxies);
    free(rules->rules);
    free(rules);
}

/* ---- names ---- */

/* Errors: -ENOENT. */
static int uid_find(struct span name, uid_t *ret)
{
    struct passwd entry, *found = NULL;
    char text[TOKEN_USER_MAX + 1];
    if (name.size == 0 || name.size >= sizeof text)
        return -ENOENT;
    AUTO_FREE char *buffer = malloc(PASSWD_BYTES);
    if (!buffer)
        return -ENOMEM;
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    if (getpwnam_r(text, &entry, buffer, PASSWD_BYTES, &found) != 0 || !found)
        return -ENOENT;
    *ret = entry.pw_uid;
    return 0;
}

static int proxy_parse(const char *text, uid_t *ret, struct err *err)
{
    uint64_t number = 0;
    if (number_parse_u64(span_of(text), &number) == 0 && number < UINT32_MAX) {
        *ret = (uid_t)number;
        return 0;
    }
    int rc = uid_find(span_of(text), ret);
    if (rc == -ENOENT)
        return err_set(err, EINVAL, "proxy_user: there is no user '%s'", text);
    return rc;
}

/* A token's characters, as RFC 9110 has them for the name of a field. */
static bool is_header_name(struct span text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (!is_word)
            return false;
    }
    return text.size > 0;
}

/* ---- rules ---- */

static int proxies_read(const struct access_opts *opts, struct access_rules *rules,
                        struct err *err)
{
    const char *header = opts->proxy_user_header;
    bool has_header = header && *header;
    if (has_header != (opts->proxy_users.count > 0))
        return err_set(err, EINVAL,
                       "proxy_user_header and proxy_user belong together: the header "
                       "is believed from these users only");
    if (!has_header)
        return 0;
    if (!is_header_name(span_of(header)))
        return err_set(err, EINVAL, "proxy_user_header: '%s' is not a header's name",
                       header);
    rules->header = header;
    rules->proxies = calloc(opts->proxy_users.count, sizeof *rules->proxies);
    if (!rules->proxies)
        return -ENOMEM;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < opts->proxy_users.count; i++)
        rc = proxy_parse(opts->proxy_users.items[i],
                         &rules->proxies[rules->proxy_count++], err);
    return rc;
}

static int add_group(struct access_rules *rules, struct span group, struct err *err)
{
    for (size_t i = 0; i < rules->group_count; i++)
        if (span_eq(rules->groups[i], group))
            return 0;
    if (rules->group_count == ACCESS_GROUPS_MAX)
        return err_set(err, EINVAL, "over %d groups are named", ACCESS_GROUPS_MAX);
    rules->groups[rules->group_count++] = group;
    return 0;
}

/* Who it is for: USER, or @GROUP. */
static int rule_name(struct access_rules *rules, struct span user, struct rule *ret,
                     struct err *err)
{
    uid_t uid;
    ret->is_group = span_starts(user, "@");
    ret->user = ret->is_group ? span_skip(user, 1) : user;
    if (!token_is_name(ret->user, TOKEN_USER_MAX))
        return -EINVAL;
    if (ret->is_group)
        return add_group(rules, ret->user, err);
    int rc = uid_find(user, &uid);
    if (rc == 0)
        (void)snprintf(ret->uid, sizeof ret->uid, "%u", uid);
    return rc == -ENOENT ? 0 : rc;
}

/* Whether it is there now: each once. */
static bool add_account(struct span accounts[static ACCESS_ACCOUNTS_MAX], size_t *count,
                        struct span account)
{
    for (size_t i = 0; i < *count; i++)
        if (span_eq(accounts[i], account))
            return true;
    if (*count == ACCESS_ACCOUNTS_MAX)
        return false;
    accounts[(*count)++] = account;
    return true;
}

/* The one that names the same user or group already, or a new one. */
static struct rule *manager_of(struct access_rules *rules, struct span user)
{
    bool is_group = span_starts(user, "@");
    struct span name = is_group ? span_skip(user, 1) : user;
    for (size_t i = 0; i < rules->rule_count; i++) {
        struct rule *rule = &rules->rules[i];
        if (rule->role == NET_ROLE_MANAGER && rule->is_group == is_group &&
            span_eq(rule->user, name))
            return rule;
    }
    return &rules->rules[rules->rule_count++];
}

/* " phys, chem" */
static int accounts_read(struct span rest, const char *text, struct rule *rule,
                         struct err *err)
{
    struct span account;
    while (rest.size > 0) {
        (void)span_cut(&rest, ',', &account);
        account = span_trim(account);
        if (!token_is_name(account, TOKEN_ACCOUNT_MAX))
            return err_set(err, EINVAL, "manager: '%s': an account is not a name",
                           text);
        if (!add_account(rule->accounts, &rule->account_count, account))
            return err_set(err, EINVAL, "manager: '%s%.*s': over %d accounts",
                           rule->is_group ? "@" : "", SPAN_ARG(rule->user),
                           ACCESS_ACCOUNTS_MAX);
    }
    return 0;
}

/* "carol: phys, chem" */
static int manager_read(struct access_rules *rules, const char *text, struct err *err)
{
    struct span rest = span_of(text), user;
    (void)span_cut(&rest, ':', &user);
    user = span_trim(user);
    if (!token_is_name(user, TOKEN_USER_MAX) || span_trim(rest).size == 0)
        return err_set(err, EINVAL, "manager: '%s' is not USER: ACCOUNT, ACCOUNT",
                       text);
    struct rule *rule = manager_of(rules, user);
    rule->role = NET_ROLE_MANAGER;
    int rc = rule_name(rules, user, rule, err);
    if (rc == -EINVAL && !(err && err->text[0]))
        return err_set(err, EINVAL, "manager: '%s' names no group", text);
    return rc == 0 ? accounts_read(rest, text, rule, err) : rc;
}

static int person_read(struct access_rules *rules, enum net_role role, const char *text,
                       struct err *err)
{
    struct rule *ret = &rules->rules[rules->rule_count++];
    ret->role = role;
    int rc = rule_name(rules, span_trim(span_of(text)), ret, err);
    return rc == -EINVAL && !(err && err->text[0])
               ? err_set(err, EINVAL, "%s: '%s' is not a user's name",
                         net_role_name(role), text)
               : rc;
}

static int rules_read(const struct access_opts *opts, struct access_rules *rules,
                      struct err *err)
{
    size_t count = opts->managers.count + opts->support.count + opts->admins.count;
    int rc = 0;
    rules->rules = calloc(count + 1, sizeof *rules->rules);
    if (!rules->rules)
        return -ENOMEM;
    for (size_t i = 0; rc == 0 && i < opts->managers.count; i++)
        rc = manager_read(rules, opts->managers.items[i], err);
    for (size_t i = 0; rc == 0 && i < opts->support.count; i++)
        rc = person_read(rules, NET_ROLE_SUPPORT, opts->support.items[i], err);
    for (size_t i = 0; rc == 0 && i < opts->admins.count; i++)
        rc = person_read(rules, NET_ROLE_ADMIN, opts->admins.items[i], err);
    return rc;
}

int access_rules_new(const struct access_opts *opts, struct access_rules **ret,
                     struct err *err)
{
    AUTO(access_rules_free) struct access_rules *rules = calloc(1, sizeof *rules);
    const char *role = opts->socket_role ? opts->socket_role : "reader";
    if (!rules)
        return -ENOMEM;
    rules->socket_role = strcmp(role, "user") == 0 ? NET_ROLE_USER : NET_ROLE_READER;
    if (rules->socket_role == NET_ROLE_READER && strcmp(role, "reader") != 0)
        return err_set(err, EINVAL,
                       "socket_role: invalid value '%s' (choose reader, user)", role);
    int rc = proxies_read(opts, rules, err);
    if (rc == 0)
        rc = rules_read(opts, rules, err);
    if (rc == 0)
        *ret = TAKE(rules);
    return rc;
}

/* ---- what they grant ---- */

const char *access_rules_proxy_header(const struct access_rules *rules, uid_t uid)
{
    for (size_t i = 0; i < rules->proxy_count; i++)
        if (rules->proxies[i] == uid)
            return rules->header;
    return NULL;
}

enum net_role access_rules_socket_role(const struct access_rules *rules)
{
    return rules->socket_role;
}

static bool has_group(const struct access_client *client, struct span group)
{
    for (size_t i = 0; i < client->group_count; i++)
        if (span_eq(client->groups[i], group))
            return true;
    return false;
}

const struct span *access_rules_groups(const struct access_rules *rules,
                                       size_t *ret_count)
{
    *ret_count = rules->group_count;
    return rules->groups;
}

static bool is_of(const struct rule *rule, const struct access_client *client)
{
    if (rule->is_group)
        return has_group(client, rule->user);
    if (client->user.size > 0)
        return span_eq(rule->user, client->user);
    return client->uid.size > 0 && span_is(client->uid, rule->uid);
}

bool access_rules_grant(const struct access_rules *rules, struct access_client *client,
                        struct span accounts[static ACCESS_ACCOUNTS_MAX])
{
    unsigned granted = 0;
    for (size_t i = 0; i < rules->rule_count; i++)
        if (is_of(&rules->rules[i], client))
            granted |= rules->rules[i].role;
    client->roles = access_roles_expand(client->roles | granted);
    return access_rules_add_accounts(rules, client, accounts);
}

bool access_rules_add_accounts(const struct access_rules *rules,
                               struct access_client *client,
                               struct span accounts[static ACCESS_ACCOUNTS_MAX])
{
    bool is_all = true;
    if (!(client->roles & NET_ROLE_MANAGER) || client->account_count > 0)
        return true;
    for (size_t i = 0; i < rules->rule_count; i++) {
        const struct rule *rule = &rules->rules[i];
        if (rule->role != NET_ROLE_MANAGER || !is_of(rule, client))
            continue;
        for (size_t k = 0; k < rule->account_count; k++)
            is_all &= add_account(accounts, &client->account_count, rule->accounts[k]);
    }
    client->accounts = accounts;
    return is_all;
}
