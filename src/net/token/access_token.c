/* SPDX-License-Identifier: Apache-2.0 */
/* access_token - a signed text that states who its bearer is. */
#include "net/token/access_token.h"

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"
#include "base/uuid.h"
#include "net/token/base64.h"

enum {
    CLOCK_SKEW_S = 300, /* how far another host's clock may be ahead */
};

/* What is signed begins with this, so that a key used for something else too can't be
 * made to sign a token by accident. */
#define SIGNED_PREFIX "baro-token-1:"

static const struct {
    enum net_role role;
    const char *name;
} roles[] = {
    { NET_ROLE_NONE, "none" },
    { NET_ROLE_READER, "reader" },
    { NET_ROLE_AGENT, "agent" },
    { NET_ROLE_ADMIN, "admin" },
    { NET_ROLE_SCHEDULER, "scheduler" },
    { NET_ROLE_USER, "user" },
    { NET_ROLE_MANAGER, "manager" },
    { NET_ROLE_SUPPORT, "support" },
    { NET_ROLE_API, "api" },
    { NET_ROLE_NODE, "node" },
};

const char *net_role_name(enum net_role role)
{
    for (size_t i = 0; i < COUNT_OF(roles); i++)
        if (roles[i].role == role)
            return roles[i].name;
    return "none";
}

int net_role_parse(struct span name, enum net_role *ret)
{
    for (size_t i = 1; i < COUNT_OF(roles); i++) {
        if (span_is(name, roles[i].name)) {
            *ret = roles[i].role;
            return 0;
        }
    }
    return -EINVAL;
}

bool token_is_name(struct span text, size_t size_max)
{
    if (text.size == 0 || text.size > size_max || !utf8_is_valid(text) ||
        span_trim(text).size != text.size)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
            return false;
    return true;
}

bool token_may_cluster(const struct token *token, struct span cluster)
{
    return !token->cluster[0] || span_is(cluster, token->cluster);
}

bool token_may_target(const struct token *token, struct span target)
{
    for (size_t i = 0; i < token->target_count; i++)
        if (span_glob(target, token->targets[i]))
            return true;
    return token->target_count == 0;
}

/* ---- signing ---- */

/* Of a person: a token that named one and had another role would seem to be limited. */
static int check_person(const struct token *token, struct err *err)
{
    bool is_person = token->role == NET_ROLE_USER || token->role == NET_ROLE_MANAGER;
    if (is_person != (token->user[0] != '\0'))
        return err_set(err, EINVAL,
                       "a user belongs to the roles user and manager, which need one");
    if (is_person && !token_is_name(span_of(token->user), TOKEN_USER_MAX))
        return err_set(err, EINVAL, "the user is not a name");
    if (token->account_count && token->role != NET_ROLE_MANAGER)
        return err_set(err, EINVAL, "accounts are for the role manager");
    for (size_t i = 0; i < token->account_count; i++)
        if (!token_is_name(span_of(token->accounts[i]), TOKEN_ACCOUNT_MAX))
            return err_set(err, EINVAL, "an account is not a name");
    return 0;
}

static int check_fields(const struct token *token, struct err *err)
{
    const unsigned with_cluster = NET_ROLE_AGENT | NET_ROLE_SCHEDULER | NET_ROLE_API |
                                  NET_ROLE_USER | NET_ROLE_MANAGER;
    enum net_role role;
    struct uuid id;
    if (net_role_parse(span_of(net_role_name(token->role)), &role) < 0)
        return err_set(err, EINVAL, "a token needs a role");
    bool is_agent = role == NET_ROLE_AGENT;
    if (is_agent && !token->host[0] && !token->cluster[0])
        return err_set(err, EINVAL,
                       "an agent's token needs its host, or the cluster whose metrics "
                       "it carries");
    if ((role == NET_ROLE_NODE) != token->has_key ||
        (role == NET_ROLE_NODE && (!token->host[0] || token->target_count)))
        return err_set(err, EINVAL,
                       "a node's token has its host and the host's public key, and no "
                       "other has a key");
    if (token->cluster[0] && !(role & with_cluster))
        return err_set(err, EINVAL,
                       "a cluster limits what agents, schedulers and programs write, "
                       "and which jobs users and managers see");
    if (uuid_parse(span_of(token->id), &id) < 0)
        return err_set(err, EINVAL, "a token's id is a UUID");
    if (token->expires_s <= token->issued_s)
        return err_set(err, EINVAL, "a token must expire after it was issued");
    return check_person(token, err);
}

static void print_payload(const struct token *token, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "role");
    json_text(&w, net_role_name(token->role));
    json_key(&w, "id");
    json_text(&w, token->id);
    if (token->host[0]) {
        json_key(&w, "host");
        json_text(&w, token->host);
    }
    if (token->cluster[0]) {
        json_key(&w, "cluster");
        json_text(&w, token->cluster);
    }
    if (token->target_count) {
        json_key(&w, "targets");
        json_array(&w);
        for (size_t i = 0; i < token->target_count; i++)
            json_text(&w, token->targets[i]);
        json_array_end(&w);
    }
    if (token->user[0]) {
        json_key(&w, "user");
        json_text(&w, token->user);
    }
    if (token->account_count) {
        json_key(&w, "accounts");
        json_array(&w);
        for (size_t i = 0; i < token->account_count; i++)
            json_text(&w, token->accounts[i]);
        json_array_end(&w);
    }
    if (token->has_key) {
        AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
        base64_print(&key, (struct span){ (const char *)token->key, TOKEN_KEY_SIZE });
        json_key(&w, "key");
        json_text(&w, strbuf_text(&key));
    }
    json_key(&w, "issued");
    json_i64(&w, token->issued_s);
    json_key(&w, "expires");
    json_i64(&w, token->expires_s);
    json_object_end(&w);
}

int token_sign(const struct token_key *key, const struct token *token,
               struct strbuf *out, struct err *err)
{
    if (!token_key_can_sign(key))
        return err_set(err, EINVAL, "this is a public key: it can't sign");
    int rc = check_fields(token, err);
    if (rc < 0)
        return rc;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf message = STRBUF_INIT;
    print_payload(token, &payload);
    strbuf_adds(&message, SIGNED_PREFIX);
    base64_print(&message, strbuf_span(&payload));
    if (strbuf_error(&payload) < 0 || strbuf_error(&message) < 0)
        return err_set(err, ENOMEM, "out of memory");
    unsigned char signature[TOKEN_SIGNATURE_SIZE];
    rc = token_key_sign(key, strbuf_span(&message), signature);
    if (rc < 0)
        return err_set(err, EIO, "signing failed");
    strbuf_add_span(out, span_skip(strbuf_span(&message), strlen(SIGNED_PREFIX)));
    strbuf_addc(out, '.');
    base64_print(out, (struct span){ (const char *)signature, sizeof signature });
    return strbuf_error(out);
}

/* ---- reading ---- */

struct payload_reader {
    struct token *token;
    char key[16];
    bool in_array;
    bool has_expires;
};

/* Where a text of this key goes. */
struct text_field {
    char *data;
    size_t capacity;
};

static struct text_field array_field(struct payload_reader *p)
{
    struct token *t = p->token;
    bool is_of_accounts = strcmp(p->key, "accounts") == 0;
    if (is_of_accounts && t->account_count < TOKEN_ACCOUNTS_MAX)
        return (struct text_field){ t->accounts[t->account_count++],
                                    sizeof t->accounts[0] };
    if (!is_of_accounts && t->target_count < TOKEN_TARGETS_MAX)
        return (struct text_field){ t->targets[t->target_count++],
                                    sizeof t->targets[0] };
    return (struct text_field){ 0 };
}

static struct text_field text_field(struct payload_reader *p)
{
    struct token *t = p->token;
    const struct {
        const char *key;
        struct text_field field;
    } fields[] = { { "host", { t->host, sizeof t->host } },
                   { "cluster", { t->cluster, sizeof t->cluster } },
                   { "user", { t->user, sizeof t->user } },
                   { "id", { t->id, sizeof t->id } } };
    if (p->in_array)
        return array_field(p);
    for (size_t i = 0; i < COUNT_OF(fields); i++)
        if (strcmp(p->key, fields[i].key) == 0)
            return fields[i].field;
    return (struct text_field){ 0 };
}

static int read_node_key(struct token *token, struct span text)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    if (token->has_key || base64_parse(text, &bytes) < 0 ||
        bytes.size != TOKEN_KEY_SIZE)
        return -EBADMSG;
    memcpy(token->key, bytes.data, TOKEN_KEY_SIZE);
    token->has_key = true;
    return 0;
}

static int take_text(struct payload_reader *p, struct span text)
{
    if (!p->in_array && strcmp(p->key, "key") == 0)
        return read_node_key(p->token, text);
    if (!p->in_array && strcmp(p->key, "role") == 0)
        return net_role_parse(text, &p->token->role) < 0 ? -EBADMSG : 0;
    struct text_field to = text_field(p);
    if (!to.data || text.size >= to.capacity || memchr(text.data, '\0', text.size))
        return -EBADMSG;
    memcpy(to.data, text.data, text.size);
    to.data[text.size] = '\0';
    return 0;
}

static int take_number(struct payload_reader *p, struct span text)
{
    bool is_expires = strcmp(p->key, "expires") == 0;
    if (!is_expires && strcmp(p->key, "issued") != 0)
        return -EBADMSG;
    p->has_expires |= is_expires;
    int64_t *to = is_expires ? &p->token->expires_s : &p->token->issued_s;
    return number_parse_i64(text, to) < 0 ? -EBADMSG : 0;
}

/* What is not known is refused: a later version might restrict a token by it. */
static int take_event(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct payload_reader *p = arg;
    switch (event) {
    case JSON_OBJECT:
        return depth == 0 ? 0 : -EBADMSG;
    case JSON_OBJECT_END:
        return 0;
    case JSON_KEY:
        if (text.size >= sizeof p->key)
            return -EBADMSG;
        memcpy(p->key, text.data, text.size);
        p->key[text.size] = '\0';
        return 0;
    case JSON_ARRAY:
        p->in_array = depth == 1 && (strcmp(p->key, "targets") == 0 ||
                                     strcmp(p->key, "accounts") == 0);
        return p->in_array ? 0 : -EBADMSG;
    case JSON_ARRAY_END:
        p->in_array = false;
        return 0;
    case JSON_STRING:
        return depth == 0 ? -EBADMSG : take_text(p, text);
    case JSON_NUMBER:
        return depth != 1 ? -EBADMSG : take_number(p, text);
    default:
        return -EBADMSG;
    }
}

static int read_payload(struct span encoded, struct token *ret)
{
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    struct token token = { 0 };
    struct payload_reader p = { .token = &token };
    if (base64_parse(encoded, &json) < 0 ||
        json_read(strbuf_span(&json), take_event, &p, NULL) < 0 || !p.has_expires ||
        check_fields(&token, NULL) < 0)
        return -EBADMSG;
    *ret = token;
    return 0;
}

static int cut(struct span text, struct span *ret_payload, struct span *ret_signature)
{
    struct span rest = text;
    if (text.size > TOKEN_TEXT_MAX || !span_cut(&rest, '.', ret_payload))
        return -EBADMSG;
    *ret_signature = rest;
    return 0;
}

int token_parse(struct span text, struct token *ret, struct err *err)
{
    struct span payload, signature;
    if (cut(text, &payload, &signature) < 0 || read_payload(payload, ret) < 0)
        return err_set(err, EBADMSG,
                       "this is not a token: wants the line that baro token new "
                       "prints");
    return 0;
}

static bool is_signed(const struct token_key *key, struct span payload,
                      struct span signature)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf message = STRBUF_INIT;
    strbuf_adds(&message, SIGNED_PREFIX);
    strbuf_add_span(&message, payload);
    return base64_parse(signature, &bytes) == 0 && strbuf_error(&message) == 0 &&
           token_key_verify(key, strbuf_span(&message), strbuf_span(&bytes));
}

int token_verify(const struct token_key *key, struct span text, int64_t now_s,
                 struct token *ret, struct err *err)
{
    struct span payload, signature;
    struct token token;
    if (cut(text, &payload, &signature) < 0)
        return err_set(err, EPERM, "this is not a token");
    /* Nothing is read before it is known who wrote it. */
    if (!is_signed(key, payload, signature))
        return err_set(err, EPERM, "the token was not signed by this site's key");
    if (read_payload(payload, &token) < 0)
        return err_set(err, EPERM,
                       "the token has a field that this version does not know");
    if (token.issued_s > now_s + CLOCK_SKEW_S)
        return err_set(err, EPERM,
                       "the token was issued in the future: check the clocks");
    if (token.expires_s <= now_s)
        return err_set(err, EPERM, "the token has expired: make a new one");
    *ret = token;
    return 0;
}

int token_revoked_parse(struct span text, struct hashmap *revoked, struct err *err)
{
    unsigned line_number = 0;
    while (text.size) {
        struct span line, id;
        struct uuid uuid;
        (void)span_cut(&text, '\n', &line);
        line_number++;
        (void)span_cut(&line, '#', &id);
        id = span_trim(id);
        if (id.size == 0)
            continue;
        if (uuid_parse(id, &uuid) < 0)
            return err_set(err, EINVAL, "line %u: '" SPAN_FMT "' is not a token's id",
                           line_number, SPAN_ARG(id));
        char canonical[UUID_TEXT_SIZE];
        uuid_print(canonical, &uuid);
        if (!hashmap_put(revoked, span_of(canonical), NULL))
            return err_set(err, ENOMEM, "out of memory");
    }
    return 0;
}
