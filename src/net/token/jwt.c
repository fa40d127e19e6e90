/* SPDX-License-Identifier: Apache-2.0 */
/* jwt - the tokens that ClusterCockpit's programs show. */
#include "net/token/jwt.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "net/token/base64.h"

#include <openssl/evp.h>

enum { KEY_SIZE = 32, KEY_TEXT_MAX = 64 };

/* Those that ClusterCockpit knows. */
#define PERSON_ROLES                                                      \
    (NET_ROLE_USER | NET_ROLE_MANAGER | NET_ROLE_SUPPORT | NET_ROLE_API | \
     NET_ROLE_ADMIN)

/* The other alphabet of RFC 4648, padded. */
static int parse_standard(struct span text, struct strbuf *out)
{
    char url[KEY_TEXT_MAX];
    while (text.size > 0 && text.data[text.size - 1] == '=')
        text.size--;
    if (text.size > sizeof url)
        return -EINVAL;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        url[i] = (char)(c == '+' ? '-' : c == '/' ? '_' : c);
        if (c == '-' || c == '_')
            return -EINVAL;
    }
    return base64_parse((struct span){ url, text.size }, out);
}

int jwt_key_parse(struct span text, struct token_key **ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    if (parse_standard(span_trim(text), &bytes) < 0 || bytes.size != KEY_SIZE)
        return err_set(err, EINVAL,
                       "jwt_public_key: this is not the base64 of an Ed25519 key's 32 "
                       "bytes");
    return token_key_of_raw((const unsigned char *)bytes.data, ret, err);
}

struct parts {
    struct span header, payload, signature;
    struct span message; /* what was signed */
};

static bool cut(struct span text, struct parts *ret)
{
    struct span rest = text;
    if (text.size > TOKEN_TEXT_MAX || !span_cut(&rest, '.', &ret->header) ||
        !span_cut(&rest, '.', &ret->payload))
        return false;
    ret->signature = rest;
    ret->message = (struct span){ text.data, ret->header.size + 1 + ret->payload.size };
    return memchr(rest.data, '.', rest.size) == NULL;
}

bool jwt_is_one(struct span text)
{
    struct parts parts;
    return cut(text, &parts);
}

/* ---- the two objects: a few members of the outermost level ---- */

struct claims {
    char key[12]; /* "" : none of ours */
    bool is_eddsa, is_critical;
    double expires_s, not_before_s;
    bool has_user, has_projects;
    bool is_doubtful; /* a member twice, or of another form */
    struct jwt_claims person;
};

/* An account that is too much or no name is passed over: a manager sees less then. */
static void add_account(struct jwt_claims *person, struct span text)
{
    if (person->account_count == TOKEN_ACCOUNTS_MAX ||
        !token_is_name(text, TOKEN_ACCOUNT_MAX))
        return;
    char *to = person->accounts[person->account_count++];
    memcpy(to, text.data, text.size);
    to[text.size] = '\0';
}

/* A value of the outermost object. */
static void member_read(struct claims *c, enum json_event event, struct span text)
{
    bool is_user = strcmp(c->key, "sub") == 0;
    bool is_roles = strcmp(c->key, "roles") == 0;
    bool is_projects = strcmp(c->key, "projects") == 0;
    bool *seen = is_user       ? &c->has_user
                 : is_roles    ? &c->person.has_roles
                 : is_projects ? &c->has_projects
                               : NULL;
    if (!seen || event == JSON_ARRAY_END || event == JSON_OBJECT_END)
        return;
    /* Which of two counts would be a guess. */
    c->is_doubtful |= *seen || event != (is_user ? JSON_STRING : JSON_ARRAY);
    *seen = true;
    if (is_user && token_is_name(text, TOKEN_USER_MAX)) {
        memcpy(c->person.user, text.data, text.size);
        c->person.user[text.size] = '\0';
    }
}

/* "sub":"alice", "roles":["user"], "projects":["phys"] */
static void person_read(struct claims *c, enum json_event event, struct span text,
                        unsigned depth)
{
    enum net_role role;
    if (depth == 1)
        member_read(c, event, text);
    if (depth != 2 || event != JSON_STRING)
        return;
    if (strcmp(c->key, "roles") == 0 && net_role_parse(text, &role) == 0)
        c->person.roles |= role & PERSON_ROLES;
    else if (strcmp(c->key, "projects") == 0)
        add_account(&c->person, text);
}

static int take_claim(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct claims *c = arg;
    if (depth == 0 && event != JSON_KEY)
        return event == JSON_OBJECT || event == JSON_OBJECT_END ? 0 : -EBADMSG;
    if (event == JSON_KEY && depth == 0) {
        size_t size = text.size < sizeof c->key ? text.size : 0;
        memcpy(c->key, text.data, size);
        c->key[size] = '\0';
        c->is_critical |= span_is(text, "crit");
        return 0;
    }
    person_read(c, event, text, depth);
    if (depth != 1)
        return 0;
    if (strcmp(c->key, "alg") == 0)
        c->is_eddsa = event == JSON_STRING && span_is(text, "EdDSA");
    double *number = strcmp(c->key, "exp") == 0   ? &c->expires_s
                     : strcmp(c->key, "nbf") == 0 ? &c->not_before_s
                                                  : NULL;
    if (!number)
        return 0;
    return event == JSON_NUMBER && number_parse_double(text, number) == 0 ? 0
                                                                          : -EBADMSG;
}

static int read_claims(struct span encoded, struct claims *claims)
{
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    if (base64_parse(encoded, &json) < 0 ||
        json_read(strbuf_span(&json), take_claim, claims, NULL) < 0)
        return -EBADMSG;
    return 0;
}

int jwt_verify(const struct token_key *key, struct span text, int64_t now_s,
               struct jwt_claims *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf signature = STRBUF_INIT;
    struct parts parts;
    struct claims header = { 0 }, claims = { .expires_s = 1e300 };
    if (!cut(text, &parts) || base64_parse(parts.signature, &signature) < 0)
        return err_set(err, EPERM, "this is not a token");
    /* Nothing is read before it is known who wrote it. */
    if (!token_key_verify(key, parts.message, strbuf_span(&signature)))
        return err_set(err, EPERM, "the token was not signed by jwt_public_key");
    if (read_claims(parts.header, &header) < 0 || !header.is_eddsa ||
        header.is_critical || read_claims(parts.payload, &claims) < 0)
        return err_set(err, EPERM,
                       "the token has a field that this version does not know");
    if (claims.not_before_s > (double)now_s)
        return err_set(err, EPERM, "the token is not valid yet: check the clocks");
    if (claims.expires_s <= (double)now_s)
        return err_set(err, EPERM, "the token has expired: make a new one");
    if (ret)
        *ret = claims.is_doubtful ? (struct jwt_claims){ .has_roles = true }
                                  : claims.person;
    return 0;
}
