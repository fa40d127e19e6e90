/* SPDX-License-Identifier: Apache-2.0 */
/* access_token - a signed text that states who its bearer is. */
#include "net/token/access_token.h"

#include "base/file.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/secret.h"
#include "base/uuid.h"
#include "net/token/base64.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>

enum {
    SIGNATURE_SIZE = 64,
    KEY_FILE_MAX = 16384,
    CLOCK_SKEW_S = 300, /* how far another host's clock may be ahead */
};

/* What is signed begins with this, so that a key used for something else too can't be
 * made to sign a token by accident. */
#define SIGNED_PREFIX "baro-token-1:"

struct token_key {
    EVP_PKEY *pkey;
    bool can_sign;
};

static const struct {
    enum net_role role;
    const char *name;
} roles[] = {
    { NET_ROLE_NONE, "none" },           { NET_ROLE_READER, "reader" },
    { NET_ROLE_AGENT, "agent" },         { NET_ROLE_ADMIN, "admin" },
    { NET_ROLE_SCHEDULER, "scheduler" },
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

/* ---- keys ---- */

void token_key_free(struct token_key *key)
{
    if (!key)
        return;
    EVP_PKEY_free(key->pkey);
    free(key);
}

bool token_key_can_sign(const struct token_key *key)
{
    return key->can_sign;
}

static int wrap(EVP_PKEY *pkey, bool can_sign, struct token_key **ret)
{
    struct token_key *key = calloc(1, sizeof *key);
    if (!key) {
        EVP_PKEY_free(pkey);
        return -ENOMEM;
    }
    *key = (struct token_key){ .pkey = pkey, .can_sign = can_sign };
    *ret = key;
    return 0;
}

/* EVP_PKEY_Q_keygen is shorter, but not in OpenSSL 1.1.1. */
static EVP_PKEY *pkey_new(void)
{
    EVP_PKEY *pkey = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, NULL);
    if (context && EVP_PKEY_keygen_init(context) == 1)
        (void)EVP_PKEY_keygen(context, &pkey);
    EVP_PKEY_CTX_free(context);
    return pkey;
}

int token_key_new(struct token_key **ret, struct err *err)
{
    EVP_PKEY *pkey = pkey_new();
    if (!pkey)
        return err_set(err, EIO, "no Ed25519 key could be made");
    return wrap(pkey, true, ret);
}

/* OpenSSL would ask the terminal for a passphrase. */
static int no_passphrase(char *buf, int size, int is_writing, void *arg)
{
    (void)buf;
    (void)size;
    (void)is_writing;
    (void)arg;
    return -1;
}

static int load_text(struct span text, bool *ret_can_sign, EVP_PKEY **ret)
{
    BIO *bio = BIO_new_mem_buf(text.data, (int)text.size);
    if (!bio)
        return -ENOMEM;
    bool can_sign = memmem(text.data, text.size, "PRIVATE KEY", 11) != NULL;
    EVP_PKEY *pkey = can_sign ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL)
                              : PEM_read_bio_PUBKEY(bio, NULL, no_passphrase, NULL);
    (void)BIO_free(bio);
    if (!pkey || EVP_PKEY_id(pkey) != EVP_PKEY_ED25519) {
        EVP_PKEY_free(pkey);
        return -EINVAL;
    }
    *ret_can_sign = can_sign;
    *ret = pkey;
    return 0;
}

int token_key_load(const char *path, struct token_key **ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = file_read(path, KEY_FILE_MAX, &text, err);
    if (rc < 0)
        return rc;
    EVP_PKEY *pkey = NULL;
    bool can_sign = false;
    rc = load_text(strbuf_span(&text), &can_sign, &pkey);
    OPENSSL_cleanse(text.data, text.size);
    if (rc < 0)
        return err_set(err, rc, "'%s' is not a PEM file with an Ed25519 key", path);
    /* No service signs, so that no group has to read it either. */
    struct stat st;
    rc = can_sign ? secret_check(path, err) : 0;
    if (rc == 0 && can_sign && stat(path, &st) == 0 && st.st_mode & S_IRWXG)
        rc = err_set(err, EACCES,
                     "'%s' is a private key that others may read: chmod 600 '%s'", path,
                     path);
    if (rc < 0) {
        EVP_PKEY_free(pkey);
        return rc;
    }
    return wrap(pkey, can_sign, ret);
}

int token_key_of_raw(const unsigned char bytes[static 32], struct token_key **ret,
                     struct err *err)
{
    EVP_PKEY *pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, 32);
    if (!pkey)
        return err_set(err, EINVAL, "these 32 bytes are no Ed25519 key");
    return wrap(pkey, false, ret);
}

bool token_key_verify(const struct token_key *key, struct span message,
                      struct span signature)
{
    if (signature.size != SIGNATURE_SIZE)
        return false;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool good =
        md && EVP_DigestVerifyInit(md, NULL, NULL, NULL, key->pkey) == 1 &&
        EVP_DigestVerify(md, (const unsigned char *)signature.data, signature.size,
                         (const unsigned char *)message.data, message.size) == 1;
    EVP_MD_CTX_free(md);
    return good;
}

static int print_bio(BIO *bio, int written, struct strbuf *out)
{
    char *data = NULL;
    long size = bio ? BIO_get_mem_data(bio, &data) : 0;
    if (written == 1 && size > 0)
        strbuf_add(out, data, (size_t)size);
    (void)BIO_free(bio);
    return written == 1 && size > 0 ? strbuf_error(out) : -EIO;
}

int token_key_print_private(const struct token_key *key, struct strbuf *out)
{
    if (!key->can_sign)
        return -EINVAL;
    BIO *bio = BIO_new(BIO_s_mem());
    int written =
        bio ? PEM_write_bio_PrivateKey(bio, key->pkey, NULL, NULL, 0, NULL, NULL) : 0;
    return print_bio(bio, written, out);
}

int token_key_print_public(const struct token_key *key, struct strbuf *out)
{
    BIO *bio = BIO_new(BIO_s_mem());
    return print_bio(bio, bio ? PEM_write_bio_PUBKEY(bio, key->pkey) : 0, out);
}

/* ---- signing ---- */

static int check_fields(const struct token *token, struct err *err)
{
    enum net_role role;
    struct uuid id;
    if (net_role_parse(span_of(net_role_name(token->role)), &role) < 0)
        return err_set(err, EINVAL, "a token needs a role");
    bool is_agent = role == NET_ROLE_AGENT;
    if (is_agent && !token->host[0] && !token->cluster[0])
        return err_set(err, EINVAL,
                       "an agent's token needs its host, or the cluster whose metrics "
                       "it carries");
    if (token->cluster[0] && !is_agent && role != NET_ROLE_SCHEDULER)
        return err_set(err, EINVAL,
                       "a cluster limits what is written: of agents and schedulers");
    if (uuid_parse(span_of(token->id), &id) < 0)
        return err_set(err, EINVAL, "a token's id is a UUID");
    if (token->expires_s <= token->issued_s)
        return err_set(err, EINVAL, "a token must expire after it was issued");
    return 0;
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
    json_key(&w, "issued");
    json_i64(&w, token->issued_s);
    json_key(&w, "expires");
    json_i64(&w, token->expires_s);
    json_object_end(&w);
}

static int sign(const struct token_key *key, struct span message,
                unsigned char out[SIGNATURE_SIZE])
{
    size_t size = SIGNATURE_SIZE;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool good = md && EVP_DigestSignInit(md, NULL, NULL, NULL, key->pkey) == 1 &&
                EVP_DigestSign(md, out, &size, (const unsigned char *)message.data,
                               message.size) == 1 &&
                size == SIGNATURE_SIZE;
    EVP_MD_CTX_free(md);
    return good ? 0 : -EIO;
}

int token_sign(const struct token_key *key, const struct token *token,
               struct strbuf *out, struct err *err)
{
    if (!key->can_sign)
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
    unsigned char signature[SIGNATURE_SIZE];
    rc = sign(key, strbuf_span(&message), signature);
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
    bool in_targets;
    bool has_expires;
};

static int take_text(struct payload_reader *p, struct span text)
{
    struct token *t = p->token;
    char *to = NULL;
    size_t room = 0;
    if (p->in_targets) {
        if (t->target_count == TOKEN_TARGETS_MAX)
            return -EBADMSG;
        to = t->targets[t->target_count++];
        room = sizeof t->targets[0];
    } else if (strcmp(p->key, "role") == 0) {
        return net_role_parse(text, &t->role) < 0 ? -EBADMSG : 0;
    } else if (strcmp(p->key, "host") == 0) {
        to = t->host;
        room = sizeof t->host;
    } else if (strcmp(p->key, "cluster") == 0) {
        to = t->cluster;
        room = sizeof t->cluster;
    } else if (strcmp(p->key, "id") == 0) {
        to = t->id;
        room = sizeof t->id;
    }
    if (!to || text.size >= room || memchr(text.data, '\0', text.size))
        return -EBADMSG;
    memcpy(to, text.data, text.size);
    to[text.size] = '\0';
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
        p->in_targets = depth == 1 && strcmp(p->key, "targets") == 0;
        return p->in_targets ? 0 : -EBADMSG;
    case JSON_ARRAY_END:
        p->in_targets = false;
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
        return err_set(err, EBADMSG, "this is not a token");
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
