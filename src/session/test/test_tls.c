/* SPDX-License-Identifier: Apache-2.0 */
/* test_tls - two ends with one key understand each other; others do not. */
#include "base/span.h"
#include "session/tls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

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
        cmocka_unit_test(a_changed_byte_ends_the_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
