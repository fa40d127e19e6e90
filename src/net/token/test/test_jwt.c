/* SPDX-License-Identifier: Apache-2.0 */
/* test_jwt - tokens as ClusterCockpit's programs show them. */
#include "base/span.h"
#include "net/token/jwt.h"

#include "base/test/testing.h"
#include "net/token/base64.h"

#include <openssl/evp.h>

#define NOW INT64_C(1700000000)
#define HEADER "{\"alg\":\"EdDSA\",\"typ\":\"JWT\"}"

static EVP_PKEY *private_key;
static struct token_key *public_key;

static int setup(void **state)
{
    (void)state;
    unsigned char raw[32];
    size_t size = sizeof raw;
    private_key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    assert_int_equal(EVP_PKEY_get_raw_public_key(private_key, raw, &size), 1);
    char text[64];
    (void)EVP_EncodeBlock((unsigned char *)text, raw, sizeof raw);
    return jwt_key_parse(span_of(text), &public_key, NULL);
}

static int teardown(void **state)
{
    (void)state;
    token_key_free(public_key);
    EVP_PKEY_free(private_key);
    return 0;
}

static void sign(const char *header, const char *claims, struct strbuf *out)
{
    unsigned char signature[64];
    size_t size = sizeof signature;
    base64_print(out, span_of(header));
    strbuf_addc(out, '.');
    base64_print(out, span_of(claims));
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    assert_int_equal(EVP_DigestSignInit(md, NULL, NULL, NULL, private_key), 1);
    assert_int_equal(EVP_DigestSign(md, signature, &size,
                                    (const unsigned char *)out->data, out->size),
                     1);
    EVP_MD_CTX_free(md);
    strbuf_addc(out, '.');
    base64_print(out, (struct span){ (const char *)signature, size });
}

static void a_token_is_believed_while_it_holds(void **state)
{
    (void)state;
    static const struct {
        const char *header, *claims;
        int want;
    } cases[] = {
        { HEADER, "{\"sub\":\"demo\",\"roles\":[\"api\"],\"exp\":1700000001}", 0 },
        { HEADER, "{\"sub\":\"demo\"}", 0 },
        { HEADER, "{\"exp\":1700000000.5,\"nbf\":1700000000,\"x\":{\"exp\":1}}", 0 },
        { HEADER, "{\"exp\":1700000000}", -EPERM },
        { HEADER, "{\"nbf\":1700000001}", -EPERM },
        { HEADER, "{\"exp\":\"never\"}", -EPERM },
        { HEADER, "[]", -EPERM },
        { HEADER, "{", -EPERM },
        { "{\"alg\":\"none\"}", "{}", -EPERM },
        { "{\"alg\":\"HS256\"}", "{}", -EPERM },
        { "{}", "{}", -EPERM },
        { "{\"alg\":\"EdDSA\",\"crit\":[\"exp\"]}", "{}", -EPERM },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf token = STRBUF_INIT;
        struct err err = { 0 };
        sign(cases[i].header, cases[i].claims, &token);
        assert_true(jwt_is_one(strbuf_span(&token)));
        int rc = jwt_verify(public_key, strbuf_span(&token), NOW, NULL, &err);
        if (rc != cases[i].want)
            fail_msg("%s: got %d, want %d: %s", cases[i].claims, rc, cases[i].want,
                     err.text);
    }
}

static void what_was_changed_is_not_believed(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf token = STRBUF_INIT;
    sign(HEADER, "{\"exp\":1700000001}", &token);
    for (size_t i = 0; i < token.size; i++) {
        char c = token.data[i];
        token.data[i] = c == 'A' ? 'B' : 'A';
        assert_int_equal(jwt_verify(public_key, strbuf_span(&token), NOW, NULL, NULL),
                         -EPERM);
        token.data[i] = c;
    }
    assert_int_equal(jwt_verify(public_key, strbuf_span(&token), NOW, NULL, NULL), 0);
    static const char *const others[] = { "", ".", "..", "...", "a.b", "a.b.c.d" };
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_int_equal(jwt_verify(public_key, span_of(others[i]), NOW, NULL, NULL),
                         -EPERM);
}

static void what_it_states_of_a_person_is_read(void **state)
{
    static const struct {
        const char *claims;
        bool has_roles;
        unsigned roles;
        const char *user;
        size_t accounts;
    } cases[] = {
        { "{\"sub\":\"alice\",\"roles\":[\"user\"]}", true, NET_ROLE_USER, "alice", 0 },
        { "{\"roles\":[\"manager\",\"boss\"],\"projects\":[\"p\",\" x\",\"q\"],"
          "\"sub\":\"carol\"}",
          true, NET_ROLE_MANAGER, "carol", 2 },
        { "{\"sub\":\"collector\"}", false, 0, "collector", 0 },
        { "{\"sub\":\"a\",\"roles\":[]}", true, 0, "a", 0 },
        /* Roles of other programs than ClusterCockpit. */
        { "{\"sub\":\"a\",\"roles\":[\"agent\",\"reader\"]}", true, 0, "a", 0 },
        { "{\"sub\":\"a\\u0000b\",\"roles\":[\"user\"]}", true, NET_ROLE_USER, "", 0 },
        { "{\"sub\":\"a\",\"sub\":\"b\",\"roles\":[\"user\"]}", true, 0, "", 0 },
        { "{\"sub\":5,\"roles\":[\"user\"]}", true, 0, "", 0 },
        { "{\"sub\":\"a\",\"roles\":\"admin\"}", true, 0, "", 0 },
        { "{\"sub\":\"a\",\"roles\":{\"x\":\"admin\"}}", true, 0, "", 0 },
        { "{\"sub\":\"a\",\"roles\":[\"user\"],\"roles\":[\"admin\"]}", true, 0, "",
          0 },
        { "{\"sub\":\"a\",\"x\":{\"roles\":[\"admin\"]}}", false, 0, "a", 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf token = STRBUF_INIT;
        struct jwt_claims got = { 0 };
        sign(HEADER, cases[i].claims, &token);
        int rc = jwt_verify(public_key, strbuf_span(&token), NOW, &got, NULL);
        if (rc < 0 || got.has_roles != cases[i].has_roles ||
            got.roles != cases[i].roles || strcmp(got.user, cases[i].user) != 0 ||
            got.account_count != cases[i].accounts)
            fail_msg("%s: %d, roles %x of '%s'", cases[i].claims, rc, got.roles,
                     got.user);
    }
}

static void a_key_is_thirty_two_bytes(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "abcd",
        "kzfYrYy+TzpanWZHJ5qSdMj5uKUWgq74BWhQG6copP",
        "kzfYrYy-TzpanWZHJ5qSdMj5uKUWgq74BWhQG6copP0=",
        "kzfYrYy+TzpanWZHJ5qSdMj5uKUWgq74BWhQG6copP0=kzfYrYy+TzpanWZHJ5qSdMj5uKUWgq74",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct token_key *key = NULL;
        assert_int_equal(jwt_key_parse(span_of(bad[i]), &key, NULL), -EINVAL);
        assert_null(key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_is_believed_while_it_holds),
        cmocka_unit_test(what_was_changed_is_not_believed),
        cmocka_unit_test(what_it_states_of_a_person_is_read),
        cmocka_unit_test(a_key_is_thirty_two_bytes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
