/* SPDX-License-Identifier: Apache-2.0 */
/* token_key - an Ed25519 key, private or public: made, loaded, signing, verifying. */
#include "net/token/token_key.h"

#include "base/file.h"
#include "base/span.h"
#include "base/system/secret.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>

enum { KEY_FILE_MAX = 16384 };

struct token_key {
    EVP_PKEY *pkey;
    bool can_sign;
};

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

int token_key_raw(const struct token_key *key, unsigned char ret[static 32])
{
    size_t size = TOKEN_KEY_SIZE;
    return EVP_PKEY_get_raw_public_key(key->pkey, ret, &size) == 1 &&
                   size == TOKEN_KEY_SIZE
               ? 0
               : -EIO;
}

bool token_key_verify(const struct token_key *key, struct span message,
                      struct span signature)
{
    if (signature.size != TOKEN_SIGNATURE_SIZE)
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

int token_key_sign(const struct token_key *key, struct span message,
                   unsigned char out[static TOKEN_SIGNATURE_SIZE])
{
    size_t size = TOKEN_SIGNATURE_SIZE;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool good = md && EVP_DigestSignInit(md, NULL, NULL, NULL, key->pkey) == 1 &&
                EVP_DigestSign(md, out, &size, (const unsigned char *)message.data,
                               message.size) == 1 &&
                size == TOKEN_SIGNATURE_SIZE;
    EVP_MD_CTX_free(md);
    return good ? 0 : -EIO;
}
