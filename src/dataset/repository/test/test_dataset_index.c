/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_index - an index there and back; one that was changed is none. */
#include "base/span.h"
#include "dataset/repository/index.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

static void index_make(struct dataset_index *index, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct digest digest;
        assert_int_equal(digest_of(&i, sizeof i, &digest), 0);
        assert_int_equal(dataset_index_add(index, (uint32_t)(16384 + i), &digest), 0);
    }
    assert_int_equal(digest_of("image", 5, &index->image), 0);
}

static void what_is_encoded_is_decoded(void **state)
{
    static const size_t counts[] = { 0, 1, 2, 3, 7, 8, 1000 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        AUTO(dataset_index_done) struct dataset_index index = { 0 }, back = { 0 };
        AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
        struct err err = { 0 };
        index_make(&index, counts[i]);
        assert_int_equal(dataset_index_encode(&index, &bytes), 0);
        assert_int_equal(bytes.size, 104 + 36 * counts[i]);
        if (dataset_index_decode(strbuf_span(&bytes), &back, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(back.count, counts[i]);
        assert_int_equal(back.image_bytes, index.image_bytes);
        assert_true(digest_eq(&back.image, &index.image));
        for (size_t k = 0; k < back.count; k++)
            assert_int_equal(back.chunks[k].offset, index.chunks[k].offset);
    }
}

static void the_root_is_that_of_rfc_6962(void **state)
{
    (void)state;
    AUTO(dataset_index_done) struct dataset_index index = { 0 };
    struct digest leaf[3], pair, want, root;
    index_make(&index, 3);
    for (size_t i = 0; i < 3; i++) {
        uint8_t text[45] = { 0 };
        for (int k = 0; k < 8; k++)
            text[1 + k] = (uint8_t)(index.chunks[i].offset >> 8 * k);
        for (int k = 0; k < 4; k++)
            text[9 + k] = (uint8_t)(index.chunks[i].size >> 8 * k);
        memcpy(text + 13, index.chunks[i].digest.bytes, 32);
        assert_int_equal(digest_of(text, sizeof text, &leaf[i]), 0);
    }
    uint8_t node[65] = { 1 };
    memcpy(node + 1, leaf[0].bytes, 32);
    memcpy(node + 33, leaf[1].bytes, 32);
    assert_int_equal(digest_of(node, 65, &pair), 0);
    memcpy(node + 1, pair.bytes, 32);
    memcpy(node + 33, leaf[2].bytes, 32);
    assert_int_equal(digest_of(node, 65, &want), 0);
    assert_int_equal(dataset_index_root(&index, &root), 0);
    assert_true(digest_eq(&root, &want));
}

static void no_changed_byte_is_decoded(void **state)
{
    (void)state;
    AUTO(dataset_index_done) struct dataset_index index = { 0 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    index_make(&index, 9);
    assert_int_equal(dataset_index_encode(&index, &bytes), 0);
    for (size_t i = 0; i < bytes.size; i++) {
        AUTO(dataset_index_done) struct dataset_index back = { 0 };
        bytes.data[i] ^= 1;
        assert_int_equal(dataset_index_decode(strbuf_span(&bytes), &back, NULL),
                         -EBADMSG);
        bytes.data[i] ^= 1;
        assert_int_equal(
            dataset_index_decode((struct span){ bytes.data, i }, &back, NULL),
            -EBADMSG);
    }
}

static void a_byte_is_in_the_chunk_that_has_it(void **state)
{
    (void)state;
    AUTO(dataset_index_done) struct dataset_index index = { 0 };
    index_make(&index, 100);
    for (size_t i = 0; i < index.count; i++) {
        const struct index_chunk *chunk = &index.chunks[i];
        assert_int_equal(dataset_index_find(&index, chunk->offset), i);
        assert_int_equal(dataset_index_find(&index, chunk->offset + chunk->size - 1),
                         i);
    }
    assert_int_equal(dataset_index_find(&index, index.image_bytes), index.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_encoded_is_decoded),
        cmocka_unit_test(the_root_is_that_of_rfc_6962),
        cmocka_unit_test(no_changed_byte_is_decoded),
        cmocka_unit_test(a_byte_is_in_the_chunk_that_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
