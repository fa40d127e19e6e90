/* SPDX-License-Identifier: Apache-2.0 */
/* test_tls - two ends with one key understand each other; others do not. */
#include "base/span.h"
#include "session/tls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cmocka.h>

struct pair {
    struct session_tls *tls[2];
    struct session_tls_end *ends[2];
    struct strbuf wire[2], plain[2]; /* wire: to that end */
};

static void pair_new(struct pair *pair, uint8_t a, uint8_t b, const char *name_b)
{
    struct session_key keys[2];
    memset(keys[0].bytes, a, sizeof keys[0].bytes);
    memset(keys[1].bytes, b, sizeof keys[1].bytes);
    *pair = (struct pair){ 0 };
    assert_int_equal(session_tls_new(&keys[0], "system", &pair->tls[0], NULL), 0);
    assert_int_equal(session_tls_new(&keys[1], name_b, &pair->tls[1], NULL), 0);
    assert_int_equal(session_tls_open(pair->tls[0], TLS_CONNECTS, &pair->ends[0]), 0);
    assert_int_equal(session_tls_open(pair->tls[1], TLS_ACCEPTS, &pair->ends[1]), 0);
}

static void pair_done(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        session_tls_close(pair->ends[i]);
        session_tls_free(pair->tls[i]);
        strbuf_done(&pair->wire[i]);
        strbuf_done(&pair->plain[i]);
    }
}

static int feed(struct pair *pair, int to)
{
    AUTO(strbuf_done) struct strbuf data = pair->wire[to];
    struct err err = { 0 };
    pair->wire[to] = (struct strbuf)STRBUF_INIT;
    return session_tls_feed(pair->ends[to], strbuf_span(&data), &pair->plain[to],
                            &pair->wire[!to], &err);
}

static int handshake(struct pair *pair)
{
    int rc = feed(pair, 0);
    for (int i = 0; rc == 0 && i < 6; i++)
        rc = feed(pair, !(i % 2));
    return rc;
}

static void two_ends_with_one_key_understand_each_other(void **state)
{
    (void)state;
    struct pair pair;
    uint8_t exporters[2][TLS_EXPORTER_BYTES] = { 0 };
    pair_new(&pair, 7, 7, "system");
    assert_int_equal(handshake(&pair), 0);
    for (int i = 0; i < 2; i++) {
        assert_true(session_tls_is_open(pair.ends[i]));
        assert_int_equal(session_tls_exporter(pair.ends[i], exporters[i]), 0);
        assert_int_equal(
            session_tls_write(pair.ends[i], SPAN("a frame"), &pair.wire[!i]), 0);
    }
    assert_memory_equal(exporters[0], exporters[1], TLS_EXPORTER_BYTES);
    for (int i = 0; i < 2; i++) {
        assert_null(memmem(pair.wire[i].data, pair.wire[i].size, "a frame", 7));
        assert_int_equal(feed(&pair, i), 0);
        assert_true(span_is(strbuf_span(&pair.plain[i]), "a frame"));
    }
    pair_done(&pair);
}

static void another_key_or_session_comes_to_nothing(void **state)
{
    (void)state;
    static const struct {
        uint8_t key;
        const char *name;
    } cases[] = { { 8, "system" }, { 7, "other" } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct pair pair;
        pair_new(&pair, 7, cases[i].key, cases[i].name);
        assert_int_equal(handshake(&pair), -EBADMSG);
        assert_false(session_tls_is_open(pair.ends[0]));
        assert_false(session_tls_is_open(pair.ends[1]));
        pair_done(&pair);
    }
}

/* Who listens where a node should, with a certificate of its own in place of the key.
 */
static SSL *impostor_new(SSL_CTX *context)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    assert_non_null(key);
    assert_non_null(certificate);
    assert_non_null(X509_gmtime_adj(X509_getm_notBefore(certificate), 0));
    assert_non_null(X509_gmtime_adj(X509_getm_notAfter(certificate), 86400));
    assert_int_equal(X509_set_pubkey(certificate, key), 1);
    assert_int_not_equal(X509_sign(certificate, key, EVP_sha256()), 0);
    assert_int_equal(SSL_CTX_use_certificate(context, certificate), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(context, key), 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
    SSL *ssl = SSL_new(context);
    assert_non_null(ssl);
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    return ssl;
}

/* What the impostor has to send after data came. */
static int impostor_feed(SSL *ssl, struct strbuf *data, struct strbuf *out)
{
    char *bytes;
    if (data->size > 0)
        assert_int_equal(BIO_write(SSL_get_rbio(ssl), data->data, (int)data->size),
                         (int)data->size);
    strbuf_clear(data);
    int done = SSL_do_handshake(ssl);
    long size = BIO_get_mem_data(SSL_get_wbio(ssl), &bytes);
    if (size > 0)
        strbuf_add(out, bytes, (size_t)size);
    (void)BIO_reset(SSL_get_wbio(ssl));
    return done;
}

static void a_certificate_does_not_stand_for_the_key(void **state)
{
    (void)state;
    static const enum session_tls_role roles[] = { TLS_CONNECTS, TLS_ACCEPTS };
    for (size_t i = 0; i < COUNT_OF(roles); i++) {
        AUTO(strbuf_done) struct strbuf wire = STRBUF_INIT, plain = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf back = STRBUF_INIT;
        struct session_key key;
        struct session_tls *tls = NULL;
        struct session_tls_end *end = NULL;
        struct err err = { 0 };
        memset(key.bytes, 7, sizeof key.bytes);
        assert_int_equal(session_tls_new(&key, "system", &tls, NULL), 0);
        assert_int_equal(session_tls_open(tls, roles[i], &end), 0);
        SSL_CTX *context = SSL_CTX_new(TLS_method());
        SSL *impostor = impostor_new(context);
        if (roles[i] == TLS_CONNECTS)
            SSL_set_accept_state(impostor);
        else
            SSL_set_connect_state(impostor);
        int rc = 0;
        for (int round = 0; rc == 0 && round < 4; round++) {
            rc = session_tls_feed(end, strbuf_span(&back), &plain, &wire, &err);
            strbuf_clear(&back);
            if (rc == 0)
                (void)impostor_feed(impostor, &wire, &back);
        }
        assert_int_equal(rc, -EBADMSG);
        assert_int_equal(plain.size, 0);
        SSL_free(impostor);
        SSL_CTX_free(context);
        session_tls_close(end);
        session_tls_free(tls);
    }
}

static void a_changed_byte_ends_the_connection(void **state)
{
    (void)state;
    struct pair pair;
    pair_new(&pair, 7, 7, "system");
    assert_int_equal(handshake(&pair), 0);
    assert_int_equal(session_tls_write(pair.ends[0], SPAN("a frame"), &pair.wire[1]),
                     0);
    pair.wire[1].data[pair.wire[1].size - 1] ^= 1;
    assert_int_equal(feed(&pair, 1), -EBADMSG);
    assert_int_equal(pair.plain[1].size, 0);
    pair_done(&pair);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_ends_with_one_key_understand_each_other),
        cmocka_unit_test(another_key_or_session_comes_to_nothing),
        cmocka_unit_test(a_certificate_does_not_stand_for_the_key),
        cmocka_unit_test(a_changed_byte_ends_the_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
