/* SPDX-License-Identifier: Apache-2.0 */
/* tls - TLS 1.3 by the session's key, without sockets: bytes in, bytes out. */
#include "session/tls.h"

#include "base/span.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>

#define IDENTITY_MAX 300
#define READ_BYTES 16384
#define EXPORTER_LABEL "EXPORTER-barograph-session"

/* TLS_AES_128_GCM_SHA256, as it is called on the wire. */
static const unsigned char suite[] = { 0x13, 0x01 };

struct session_tls {
    SSL_CTX *context;
    struct session_key key;
    char identity[IDENTITY_MAX];
};

struct session_tls_end {
    SSL *ssl;
    BIO *in, *out; /* the SSL's own */
};

/* What both sides know, as if it came from an earlier connection. */
static SSL_SESSION *known_session(SSL *ssl, const struct session_tls *tls)
{
    SSL_SESSION *session = SSL_SESSION_new();
    const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, suite);
    if (session && cipher &&
        SSL_SESSION_set1_master_key(session, tls->key.bytes, sizeof tls->key.bytes) &&
        SSL_SESSION_set_cipher(session, cipher) &&
        SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION))
        return session;
    SSL_SESSION_free(session);
    return NULL;
}

static struct session_tls *tls_of(SSL *ssl)
{
    return SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
}

static int use_session(SSL *ssl, const EVP_MD *md, const unsigned char **id,
                       size_t *id_size, SSL_SESSION **ret)
{
    struct session_tls *tls = tls_of(ssl);
    if (md && EVP_MD_type(md) != NID_sha256) {
        *ret = NULL;
        return 1;
    }
    *ret = known_session(ssl, tls);
    *id = (const unsigned char *)tls->identity;
    *id_size = strlen(tls->identity);
    return *ret != NULL;
}

/* Without a session the handshake goes on by certificates, of which there are none. */
static int find_session(SSL *ssl, const unsigned char *id, size_t id_size,
                        SSL_SESSION **ret)
{
    const struct session_tls *tls = tls_of(ssl);
    bool is_ours = id_size == strlen(tls->identity) &&
                   CRYPTO_memcmp(id, tls->identity, id_size) == 0;
    *ret = is_ours ? known_session(ssl, tls) : NULL;
    return !is_ours || *ret;
}

static bool configure(SSL_CTX *context)
{
    SSL_CTX_set_psk_use_session_callback(context, use_session);
    SSL_CTX_set_psk_find_session_callback(context, find_session);
    (void)SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION |
                                           SSL_OP_NO_COMPRESSION);
    (void)SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL); /* the key is the proof */
    return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) &&
           SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) &&
           SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") &&
           SSL_CTX_set1_groups_list(context, "P-256") &&
           SSL_CTX_set_num_tickets(context, 0);
}

static int ssl_error(struct err *err, int errnum, const char *what)
{
    char text[128] = "";
    unsigned long code = ERR_peek_last_error();
    if (code)
        ERR_error_string_n(code, text, sizeof text);
    ERR_clear_error();
    return err_set(err, errnum, "%s%s%s", what, *text ? ": " : "", text);
}

int session_tls_new(const struct session_key *key, const char *name,
                    struct session_tls **ret, struct err *err)
{
    AUTO(session_tls_free) struct session_tls *tls = calloc(1, sizeof *tls);
    if (!tls)
        return -ENOMEM;
    tls->key = *key;
    (void)snprintf(tls->identity, sizeof tls->identity, "barograph-session:%s", name);
    tls->context = SSL_CTX_new(TLS_method());
    if (!tls->context || !configure(tls->context))
        return ssl_error(err, EIO, "TLS");
    (void)SSL_CTX_set_app_data(tls->context, tls);
    *ret = TAKE(tls);
    return 0;
}

void session_tls_free(struct session_tls *tls)
{
    if (!tls)
        return;
    SSL_CTX_free(tls->context);
    session_key_done(&tls->key);
    free(tls);
}

int session_tls_open(struct session_tls *tls, enum session_tls_role role,
                     struct session_tls_end **ret)
{
    struct session_tls_end *end = calloc(1, sizeof *end);
    if (!end)
        return -ENOMEM;
    end->ssl = SSL_new(tls->context);
    end->in = BIO_new(BIO_s_mem());
    end->out = BIO_new(BIO_s_mem());
    if (!end->ssl || !end->in || !end->out) {
        BIO_free(end->in);
        BIO_free(end->out);
        SSL_free(end->ssl);
        free(end);
        return -ENOMEM;
    }
    SSL_set_bio(end->ssl, end->in, end->out); /* owns both */
    if (role == TLS_ACCEPTS) {
        SSL_set_accept_state(end->ssl);
    } else {
        SSL_set_connect_state(end->ssl);
        /* An end without the key may show a certificate instead: no authority is known
         * here, so that it is refused before anything is sent to it. */
        SSL_set_verify(end->ssl, SSL_VERIFY_PEER, NULL);
    }
    *ret = end;
    return 0;
}

void session_tls_close(struct session_tls_end *end)
{
    if (!end)
        return;
    SSL_free(end->ssl);
    free(end);
}

static int drain_wire(struct session_tls_end *end, struct strbuf *wire)
{
    char *data;
    long size = BIO_get_mem_data(end->out, &data);
    if (size > 0)
        strbuf_add(wire, data, (size_t)size);
    (void)BIO_reset(end->out);
    return strbuf_error(wire);
}

/* 0: there is nothing more now. */
static int read_plain(struct session_tls_end *end, struct strbuf *plain,
                      struct err *err)
{
    for (;;) {
        int rc = strbuf_reserve(plain, READ_BYTES);
        if (rc < 0)
            return rc;
        rc = SSL_read(end->ssl, plain->data + plain->size, READ_BYTES);
        if (rc > 0) {
            plain->size += (size_t)rc;
            continue;
        }
        int why = SSL_get_error(end->ssl, rc);
        if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
            return 0;
        return ssl_error(err, EBADMSG, "TLS");
    }
}

int session_tls_feed(struct session_tls_end *end, struct span data,
                     struct strbuf *plain, struct strbuf *wire, struct err *err)
{
    ERR_clear_error();
    if (data.size && BIO_write(end->in, data.data, (int)data.size) != (int)data.size)
        return -ENOMEM;
    int rc = 0;
    if (!SSL_is_init_finished(end->ssl)) {
        int done = SSL_do_handshake(end->ssl);
        if (done <= 0 && SSL_get_error(end->ssl, done) != SSL_ERROR_WANT_READ)
            rc = ssl_error(err, EBADMSG, "TLS");
        else if (done > 0 && !SSL_session_reused(end->ssl))
            rc = err_set(err, EBADMSG, "TLS: the peer did not use the session's key");
    }
    if (rc == 0 && SSL_is_init_finished(end->ssl))
        rc = read_plain(end, plain, err);
    int drained = drain_wire(end, wire); /* an alert, too */
    return rc < 0 ? rc : drained;
}

bool session_tls_has_key(const struct session_tls_end *end)
{
    return SSL_session_reused(end->ssl) == 1;
}

bool session_tls_is_open(const struct session_tls_end *end)
{
    return SSL_is_init_finished(end->ssl);
}

int session_tls_write(struct session_tls_end *end, struct span plain,
                      struct strbuf *wire)
{
    if (plain.size == 0)
        return 0;
    int done = SSL_write(end->ssl, plain.data, (int)plain.size);
    if (done != (int)plain.size)
        return -EPIPE;
    return drain_wire(end, wire);
}

int session_tls_exporter(struct session_tls_end *end,
                         uint8_t ret[static TLS_EXPORTER_BYTES])
{
    return SSL_export_keying_material(end->ssl, ret, TLS_EXPORTER_BYTES, EXPORTER_LABEL,
                                      sizeof EXPORTER_LABEL - 1, NULL, 0, 0) == 1
               ? 0
               : -EPIPE;
}
