/* SPDX-License-Identifier: Apache-2.0 */
/* test_body - compressed bodies, whole, in pieces, cut, broken and explosive. */
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "net/body.h"

#include <errno.h>
#include <zlib.h>
#include <zstd.h>

enum { TEXT_BYTES = 300000, NO_LIMIT = 1 << 30 };

static void zip_zstd(struct span text, struct strbuf *out)
{
    size_t room = ZSTD_compressBound(text.size);
    assert_int_equal(strbuf_reserve(out, room), 0);
    size_t size = ZSTD_compress(out->data + out->size, room, text.data, text.size, 3);
    assert_false(ZSTD_isError(size));
    out->size += size;
}

static void zip_gzip(struct span text, struct strbuf *out)
{
    z_stream z = { 0 };
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, text.size) + 64;
    assert_int_equal(strbuf_reserve(out, room), 0);
    z.next_in = (z_const Bytef *)(uintptr_t)text.data;
    z.avail_in = (uInt)text.size;
    z.next_out = (Bytef *)out->data + out->size;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->size += z.total_out;
    (void)deflateEnd(&z);
}

static int gather(void *arg, const void *data, size_t size, struct err *err)
{
    (void)err;
    struct strbuf *out = arg;
    strbuf_add(out, data, size);
    return strbuf_error(out);
}

static int decode(enum body_coding coding, struct span text, size_t piece,
                  struct strbuf *out)
{
    AUTO(body_free) struct body *body = NULL;
    assert_int_equal(body_new(coding, NO_LIMIT, 200, &body), 0);
    while (text.size) {
        size_t n = text.size < piece ? text.size : piece;
        int rc = body_feed(body, text.data, n, gather, out, NULL);
        if (rc < 0)
            return rc;
        text = span_skip(text, n);
    }
    return body_finish(body, NULL);
}

/* Text that compresses a little, the same in every run. */
static void make_text(struct strbuf *out)
{
    uint64_t x = 7;
    while (out->size < TEXT_BYTES) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        strbuf_add_u64(out, x >> 40);
    }
}

static void every_coding_gives_the_same_text_back(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf zstd = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf gzip = STRBUF_INIT;
    make_text(&text);
    /* Two members each: both formats allow one after the other. */
    zip_zstd(strbuf_span(&text), &zstd);
    zip_zstd(SPAN("tail"), &zstd);
    zip_gzip(strbuf_span(&text), &gzip);
    zip_gzip(SPAN("tail"), &gzip);
    strbuf_adds(&text, "tail");
    const struct {
        enum body_coding coding;
        struct span body;
    } cases[] = {
        { BODY_IDENTITY, strbuf_span(&text) },
        { BODY_ZSTD, strbuf_span(&zstd) },
        { BODY_GZIP, strbuf_span(&gzip) },
    };
    static const size_t pieces[] = { 1, 1000, SIZE_MAX };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (size_t p = 0; p < COUNT_OF(pieces); p++) {
            AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
            int rc = decode(cases[i].coding, cases[i].body, pieces[p], &out);
            if (rc < 0 || !span_eq(strbuf_span(&out), strbuf_span(&text)))
                fail_msg("coding %zu, pieces of %zu: %d, %zu bytes", i, pieces[p], rc,
                         out.size);
        }
    }
}

static void cut_and_broken_bodies_are_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf zstd = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf gzip = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    zip_zstd(SPAN("some words, some more words"), &zstd);
    zip_gzip(SPAN("some words, some more words"), &gzip);
    for (size_t n = 0; n < zstd.size; n++) {
        struct span cut = { zstd.data, n };
        assert_int_equal(decode(BODY_ZSTD, cut, 7, &out), -EBADMSG);
    }
    for (size_t n = 0; n < gzip.size; n++) {
        struct span cut = { gzip.data, n };
        assert_int_equal(decode(BODY_GZIP, cut, 7, &out), -EBADMSG);
    }
    assert_int_equal(decode(BODY_ZSTD, SPAN("no zstd at all"), 3, &out), -EBADMSG);
    assert_int_equal(decode(BODY_GZIP, SPAN("no gzip at all"), 3, &out), -EBADMSG);
}

static int count_bytes(void *arg, const void *data, size_t size, struct err *err)
{
    (void)data;
    (void)err;
    *(uint64_t *)arg += size;
    return 0;
}

static void bombs_are_stopped_early(void **state)
{
    (void)state;
    enum { ZEROS = 64 << 20 };
    AUTO_FREE char *zeros = calloc(1, ZEROS);
    AUTO(strbuf_done) struct strbuf zstd = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf gzip = STRBUF_INIT;
    assert_non_null(zeros);
    zip_zstd((struct span){ zeros, ZEROS }, &zstd);
    zip_gzip((struct span){ zeros, ZEROS }, &gzip);
    const struct {
        enum body_coding coding;
        struct span body;
        uint64_t size_max, ratio_max;
    } cases[] = {
        { BODY_ZSTD, strbuf_span(&zstd), NO_LIMIT, 200 },
        { BODY_GZIP, strbuf_span(&gzip), NO_LIMIT, 200 },
        { BODY_ZSTD, strbuf_span(&zstd), 1 << 20, 1 << 30 },
        { BODY_GZIP, strbuf_span(&gzip), 1 << 20, 1 << 30 },
        { BODY_IDENTITY, { zeros, ZEROS }, 1 << 20, 1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(body_free) struct body *body = NULL;
        uint64_t got = 0;
        struct err err = { 0 };
        assert_int_equal(
            body_new(cases[i].coding, cases[i].size_max, cases[i].ratio_max, &body), 0);
        int rc = body_feed(body, cases[i].body.data, cases[i].body.size, count_bytes,
                           &got, &err);
        if (rc != -EMSGSIZE || got > ZEROS / 4 || !err.text[0])
            fail_msg("bomb %zu: %d after %llu bytes", i, rc, (unsigned long long)got);
        assert_true(body_memory_bytes(body) < 20 << 20);
    }
}

static void codings_have_names(void **state)
{
    (void)state;
    enum body_coding coding = BODY_ZSTD;
    assert_int_equal(body_coding_parse((struct span){ 0 }, &coding), 0);
    assert_int_equal(coding, BODY_IDENTITY);
    assert_int_equal(body_coding_parse(SPAN(" ZSTD"), &coding), 0);
    assert_int_equal(coding, BODY_ZSTD);
    assert_int_equal(body_coding_parse(SPAN("gzip, zstd"), &coding), -EPROTONOSUPPORT);
    assert_int_equal(body_coding_parse(SPAN("br"), &coding), -EPROTONOSUPPORT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_coding_gives_the_same_text_back),
        cmocka_unit_test(cut_and_broken_bodies_are_refused),
        cmocka_unit_test(bombs_are_stopped_early),
        cmocka_unit_test(codings_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
