/* SPDX-License-Identifier: Apache-2.0 */
/* test_snappy_block - blocks that come back, are refused before they are decoded, and
 * cut or broken ones. */
#include "base/span.h"
#include "base/test/testing.h"
#include "wire/wire.h"

#include <errno.h>
#include <stdlib.h>

static void a_block_holds_what_was_put_in(void **state)
{
    (void)state;
    AUTO(strbuf_done)
    struct strbuf text = STRBUF_INIT, block = STRBUF_INIT, out = STRBUF_INIT;
    for (int i = 0; i < 5000; i++)
        strbuf_addf(&text, "sample %d ", i % 97);
    assert_int_equal(snappy_block_encode(strbuf_span(&text), &block), 0);
    assert_true(block.size < text.size / 2);
    size_t size = 0;
    struct err err = { 0 };
    assert_int_equal(snappy_block_size(strbuf_span(&block), 1 << 20, 200, &size, &err),
                     0);
    assert_int_equal(size, text.size);
    assert_int_equal(snappy_block_decode(strbuf_span(&block), size, &out, &err), 0);
    assert_int_equal(out.size, text.size);
    assert_memory_equal(out.data, text.data, text.size);
}

static void what_claims_too_much_is_refused_by_its_head(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct span block;
        int rc;
    } cases[] = {
        { "nothing", { "", 0 }, -EBADMSG },
        { "a size without an end", { "\xFF\xFF\xFF\xFF\xFF\xFF", 6 }, -EBADMSG },
        { "more than is allowed", { "\x80\x80\x80\x08", 4 }, -EMSGSIZE },
        { "far more than it can hold", { "\x80\x80\x80\x02", 4 }, -EMSGSIZE },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t size = 0;
        struct err err = { 0 };
        int rc = snappy_block_size(cases[i].block, 8 << 20, 200, &size, &err);
        if (rc != cases[i].rc || !err.text[0])
            fail_msg("%s: %d, %s", cases[i].name, rc, err.text);
    }
}

static void a_cut_or_changed_block_is_refused_or_another_text(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf block = STRBUF_INIT, out = STRBUF_INIT;
    assert_int_equal(
        snappy_block_encode(SPAN("aaaaaaaaaabbbbbbbbbbaaaaaaaaaa"), &block), 0);
    for (size_t size = 0; size < block.size; size++) {
        struct span cut = { block.data, size };
        struct err err = { 0 };
        size_t claimed;
        if (snappy_block_size(cut, 1000, 200, &claimed, &err) == 0)
            assert_int_equal(snappy_block_decode(cut, claimed, &out, &err), -EBADMSG);
    }
    for (size_t bit = 0; bit < 8 * block.size; bit++) {
        size_t claimed;
        block.data[bit / 8] ^= (char)(1 << bit % 8);
        if (snappy_block_size(strbuf_span(&block), 1000, 200, &claimed, NULL) == 0)
            (void)snappy_block_decode(strbuf_span(&block), claimed, &out, NULL);
        block.data[bit / 8] ^= (char)(1 << bit % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_holds_what_was_put_in),
        cmocka_unit_test(what_claims_too_much_is_refused_by_its_head),
        cmocka_unit_test(a_cut_or_changed_block_is_refused_or_another_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
