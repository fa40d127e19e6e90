/* SPDX-License-Identifier: Apache-2.0 */
/* test_identity - who a node is: tokens of the site, signatures of hosts. */
#include "session/identity.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "net/token/token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct hosts {
    struct token_key *site, *keys[2];
    struct strbuf tokens[2];
};

static void make_token(struct hosts *h, const struct token_key *signer,
                       const char *host, const struct token_key *key,
                       int64_t lifetime_s, struct strbuf *ret)
{
    struct token token = { .role = NET_ROLE_NODE,
                           .id = "0f0e0d0c-0b0a-4908-8706-050403020100",
                           .has_key = true,
                           .issued_s = clock_now_ns() / NS_PER_S - 100,
                           .expires_s = clock_now_ns() / NS_PER_S + lifetime_s };
    (void)h;
    (void)snprintf(token.host, sizeof token.host, "%s", host);
    assert_int_equal(token_key_raw(key, token.key), 0);
    assert_int_equal(token_sign(signer, &token, ret, NULL), 0);
}

static int make_hosts(void **state)
{
    static struct hosts hosts;
    hosts = (struct hosts){ 0 };
    assert_int_equal(token_key_new(&hosts.site, NULL), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(token_key_new(&hosts.keys[i], NULL), 0);
        make_token(&hosts, hosts.site, i ? "b" : "a", hosts.keys[i], 1000,
                   &hosts.tokens[i]);
    }
    *state = &hosts;
    return 0;
}

static int free_hosts(void **state)
{
    struct hosts *h = *state;
    token_key_free(h->site);
    for (int i = 0; i < 2; i++) {
        token_key_free(h->keys[i]);
        strbuf_done(&h->tokens[i]);
    }
    return 0;
}

/* A copy by its text: an identity owns its keys. */
static struct token_key *copy_key(const struct token_key *key)
{
    AUTO(strbuf_done) struct strbuf pem = STRBUF_INIT;
    char path[] = "/tmp/baro-test-key.XXXXXX";
    struct token_key *copy = NULL;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(token_key_print_private(key, &pem), 0);
    assert_int_equal(write(fd, pem.data, pem.size), (ssize_t)pem.size);
    (void)close(fd);
    assert_int_equal(token_key_load(path, &copy, NULL), 0);
    (void)unlink(path);
    return copy;
}

static struct session_identity *identity_a(const struct hosts *h, const char *session)
{
    struct session_identity *identity = NULL;
    assert_int_equal(identity_of(copy_key(h->keys[0]), strbuf_span(&h->tokens[0]),
                                 copy_key(h->site), session, 42, &identity),
                     0);
    return identity;
}

static void what_is_signed_is_checked(void **state)
{
    const struct hosts *h = *state;
    AUTO(identity_free) struct session_identity *a = identity_a(h, "s");
    AUTO(identity_free) struct session_identity *other = identity_a(h, "t");
    AUTO(strbuf_done) struct strbuf signature = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf foreign = STRBUF_INIT, ended = STRBUF_INIT;
    AUTO(token_key_free) struct token_key *thief = NULL;
    struct identity_hold hold;
    struct err err = { "" };
    assert_int_equal(token_key_new(&thief, NULL), 0);
    make_token(NULL, thief, "a", h->keys[0], 1000, &foreign);
    make_token(NULL, h->site, "a", h->keys[0], -50, &ended);
    assert_int_equal(
        identity_sign(a, IDENTITY_HELLO, SPAN("exporter"), SPAN("body"), &signature),
        0);
    const struct identity_claim good = { IDENTITY_HELLO,
                                         "a",
                                         SPAN("exporter"),
                                         SPAN("body"),
                                         strbuf_span(&h->tokens[0]),
                                         strbuf_span(&signature) };
    for (int i = 0; i < 2; i++) /* the second time the token is known */
        assert_int_equal(identity_check(a, &good, &hold, &err), 0);
    assert_true(identity_holds(a, &hold));
    struct identity_claim bad[9];
    const char *const reasons[9] = {
        "not by the key of node 'a'",
        "that of node 'a'",
        "not by the key",
        "not by the key",
        "that of node 'b'",
        "not by the key",
        "not signed by this site",
        "expired",
        "no token",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        bad[i] = good;
    bad[0].use = IDENTITY_WELCOME;
    bad[1].host = "b";
    bad[2].bound = SPAN("exportes");
    bad[3].signed_text = SPAN("bodz");
    bad[4].token = strbuf_span(&h->tokens[1]);
    bad[5].signature = SPAN("short");
    bad[6].token = strbuf_span(&foreign);
    bad[7].token = strbuf_span(&ended);
    bad[8].token = SPAN("");
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (identity_check(a, &bad[i], NULL, &err) != -EPERM ||
            !strstr(err.text, reasons[i]))
            fail_msg("%zu: %s", i, err.text);
    assert_int_equal(identity_check(other, &good, NULL, &err), -EPERM);
}

static void a_token_of_another_role_is_none(void **state)
{
    const struct hosts *h = *state;
    AUTO(identity_free) struct session_identity *a = identity_a(h, "s");
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct token token = { .role = NET_ROLE_AGENT,
                           .id = "0f0e0d0c-0b0a-4908-8706-050403020100",
                           .host = "a",
                           .issued_s = clock_now_ns() / NS_PER_S - 100,
                           .expires_s = clock_now_ns() / NS_PER_S + 100 };
    struct err err = { "" };
    assert_int_equal(token_sign(h->site, &token, &text, NULL), 0);
    const struct identity_claim claim = { IDENTITY_EVENT,     "a",
                                          SPAN(""),           SPAN("body"),
                                          strbuf_span(&text), SPAN("") };
    assert_int_equal(identity_check(a, &claim, NULL, &err), -EPERM);
    assert_non_null(strstr(err.text, "role node"));
    token.has_key = true; /* and no agent's token has a key */
    assert_int_equal(token_sign(h->site, &token, &text, NULL), -EINVAL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_signed_is_checked, make_hosts,
                                        free_hosts),
        cmocka_unit_test_setup_teardown(a_token_of_another_role_is_none, make_hosts,
                                        free_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
