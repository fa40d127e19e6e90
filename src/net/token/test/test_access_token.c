/* SPDX-License-Identifier: Apache-2.0 */
/* test_access_token - signed texts: who made them, for whom, until when. */
#include "base/span.h"
#include "base/test/testing.h"
#include "net/token/access_token.h"
#include "net/token/base64.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define NOW 1700000000

static const struct token agent = {
    .role = NET_ROLE_AGENT,
    .id = "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11",
    .host = "oss01",
    .target_count = 2,
    .targets = { "scratch-OST000[0-3]", "home-*" },
    .issued_s = NOW,
    .expires_s = NOW + 1000,
};

static void a_signed_token_is_read_back_whole(void **state)
{
    (void)state;
    AUTO(token_key_free) struct token_key *key = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct token back;
    struct err err = { 0 };
    assert_int_equal(token_key_new(&key, &err), 0);
    assert_int_equal(token_sign(key, &agent, &text, &err), 0);
    assert_int_equal(token_verify(key, strbuf_span(&text), NOW, &back, &err), 0);
    assert_int_equal(back.role, NET_ROLE_AGENT);
    assert_string_equal(back.host, "oss01");
    assert_string_equal(back.id, agent.id);
    assert_true(back.target_count == 2 && back.expires_s == NOW + 1000);
    assert_true(token_may_target(&back, SPAN("scratch-OST0002")));
    assert_true(token_may_target(&back, SPAN("home-MDT0000")));
    assert_false(token_may_target(&back, SPAN("scratch-OST0004")));
    assert_int_equal(token_parse(strbuf_span(&text), &back, &err), 0);
}

static void no_changed_byte_passes(void **state)
{
    (void)state;
    AUTO(token_key_free) struct token_key *key = NULL;
    AUTO(token_key_free) struct token_key *other = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct token back;
    assert_int_equal(token_key_new(&key, NULL), 0);
    assert_int_equal(token_key_new(&other, NULL), 0);
    assert_int_equal(token_sign(key, &agent, &text, NULL), 0);
    for (size_t i = 0; i < text.size; i++) {
        char old = text.data[i];
        text.data[i] = old == 'A' ? 'B' : 'A';
        if (token_verify(key, strbuf_span(&text), NOW, &back, NULL) != -EPERM)
            fail_msg("byte %zu changed, and it passed", i);
        text.data[i] = old;
    }
    for (size_t size = 0; size < text.size; size++) {
        struct span cut = { text.data, size };
        assert_int_equal(token_verify(key, cut, NOW, &back, NULL), -EPERM);
    }
    assert_int_equal(token_verify(other, strbuf_span(&text), NOW, &back, NULL), -EPERM);
}

static void a_token_holds_in_its_time_only(void **state)
{
    (void)state;
    static const struct {
        int64_t now_s;
        int rc;
    } cases[] = {
        { NOW - 301, -EPERM }, { NOW - 299, 0 },       { NOW, 0 },
        { NOW + 999, 0 },      { NOW + 1000, -EPERM }, { INT64_MAX / 2, -EPERM },
    };
    AUTO(token_key_free) struct token_key *key = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct token back;
    assert_int_equal(token_key_new(&key, NULL), 0);
    assert_int_equal(token_sign(key, &agent, &text, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (token_verify(key, strbuf_span(&text), cases[i].now_s, &back, NULL) !=
            cases[i].rc)
            fail_msg("at %lld", (long long)cases[i].now_s);
}

static void what_no_token_should_be_is_not_signed(void **state)
{
    (void)state;
    AUTO(token_key_free) struct token_key *key = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    assert_int_equal(token_key_new(&key, NULL), 0);
    struct token bad = agent;
    bad.host[0] = '\0';
    assert_int_equal(token_sign(key, &bad, &text, NULL), -EINVAL);
    bad = agent;
    bad.role = NET_ROLE_NONE;
    assert_int_equal(token_sign(key, &bad, &text, NULL), -EINVAL);
    bad = agent;
    bad.expires_s = bad.issued_s;
    assert_int_equal(token_sign(key, &bad, &text, NULL), -EINVAL);
    bad = agent;
    bad.id[3] = 'x';
    assert_int_equal(token_sign(key, &bad, &text, NULL), -EINVAL);
    assert_int_equal(text.size, 0);
}

static void odd_payloads_are_no_tokens(void **state)
{
    (void)state;
#define REST "\"id\":\"8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11\",\"issued\":1"
    static const struct {
        const char *json;
        int rc;
    } cases[] = {
        { "{\"role\":\"reader\"," REST ",\"expires\":2}", 0 },
        { "{\"role\":\"reader\"," REST "}", -EBADMSG },
        { "{\"role\":\"root\"," REST ",\"expires\":2}", -EBADMSG },
        { "{\"role\":\"none\"," REST ",\"expires\":2}", -EBADMSG },
        { "{\"role\":\"agent\"," REST ",\"expires\":2}", -EBADMSG },
        { "{\"role\":\"reader\"," REST ",\"expires\":2,\"only\":\"x\"}", -EBADMSG },
        { "{\"role\":\"reader\"," REST ",\"expires\":2.5}", -EBADMSG },
        { "{\"role\":\"reader\"," REST ",\"expires\":2,\"targets\":\"a\"}", -EBADMSG },
        { "{\"role\":\"reader\"," REST ",\"expires\":2,\"targets\":[[]]}", -EBADMSG },
        { "{\"role\":\"reader\"," REST ",\"expires\":2,\"host\":\"a\\u0000b\"}",
          -EBADMSG },
        { "[\"role\"]", -EBADMSG },
        { "7", -EBADMSG },
        { "", -EBADMSG },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        struct token token;
        base64_print(&text, span_of(cases[i].json));
        strbuf_adds(&text, ".AAAA");
        if (token_parse(strbuf_span(&text), &token, NULL) != cases[i].rc)
            fail_msg("%s", cases[i].json);
    }
}

static void keys_are_kept_in_files(void **state)
{
    (void)state;
    char path[] = "/tmp/baro-key.XXXXXX";
    AUTO_CLOSE int fd = mkstemp(path);
    assert_true(fd >= 0);
    AUTO(token_key_free) struct token_key *key = NULL;
    AUTO(token_key_free) struct token_key *private = NULL;
    AUTO(token_key_free) struct token_key *public = NULL;
    AUTO(strbuf_done) struct strbuf pem = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct token back;
    struct token_key *none = NULL;
    assert_int_equal(token_key_new(&key, NULL), 0);
    assert_int_equal(token_key_print_private(key, &pem), 0);
    assert_int_equal(write(fd, pem.data, pem.size), pem.size);
    assert_int_equal(fchmod(fd, 0640), 0);
    assert_int_equal(token_key_load(path, &none, NULL), -EACCES);
    assert_int_equal(fchmod(fd, 0600), 0);
    assert_int_equal(token_key_load(path, &private, NULL), 0);
    assert_true(token_key_can_sign(private));
    assert_int_equal(token_sign(private, &agent, &text, NULL), 0);

    strbuf_clear(&pem);
    assert_int_equal(token_key_print_public(key, &pem), 0);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, pem.data, pem.size, 0), pem.size);
    assert_int_equal(fchmod(fd, 0644), 0);
    assert_int_equal(token_key_load(path, &public, NULL), 0);
    assert_false(token_key_can_sign(public));
    assert_int_equal(token_key_print_private(public, &pem), -EINVAL);
    assert_int_equal(token_verify(public, strbuf_span(&text), NOW, &back, NULL), 0);
    assert_int_equal(token_sign(public, &agent, &text, NULL), -EINVAL);

    assert_int_equal(ftruncate(fd, 20), 0);
    assert_int_equal(token_key_load(path, &none, NULL), -EINVAL);
    (void)unlink(path);
    assert_int_equal(token_key_load(path, &none, NULL), -ENOENT);
}

static void the_revocation_list_is_one_id_a_line(void **state)
{
    (void)state;
    AUTO(hashmap_done) struct hashmap ids = HASHMAP_INIT;
    struct err err = { 0 };
    static const char list[] = "# lost\n8C5A3F8E-0d6c-4f5e-9a58-0d8f6f1f0b11 # oss01"
                               "\n\n1c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11";
    assert_int_equal(token_revoked_parse(SPAN(list), &ids, &err), 0);
    assert_int_equal(ids.count, 2);
    assert_non_null(hashmap_get(&ids, span_of(agent.id)));
    assert_int_equal(token_revoked_parse(SPAN("\nhello\n"), &ids, &err), -EINVAL);
    assert_non_null(strstr(err.text, "line 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signed_token_is_read_back_whole),
        cmocka_unit_test(no_changed_byte_passes),
        cmocka_unit_test(a_token_holds_in_its_time_only),
        cmocka_unit_test(what_no_token_should_be_is_not_signed),
        cmocka_unit_test(odd_payloads_are_no_tokens),
        cmocka_unit_test(keys_are_kept_in_files),
        cmocka_unit_test(the_revocation_list_is_one_id_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
