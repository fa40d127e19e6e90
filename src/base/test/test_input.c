/* SPDX-License-Identifier: Apache-2.0 */
/* test_input - files read from front to back, whether compressed or not. */
#include "base/file.h"
#include "base/input.h"
#include "base/test/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define TEXT_BYTES ((size_t)300 << 10) /* more than a piece */

static char dir[] = "/tmp/baro-input.XXXXXX";
static char path[64];
static char text[TEXT_BYTES];

static int setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEXT_BYTES; i++)
        text[i] = (char)('a' + i * i / 7 % 26);
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(path, sizeof path, "%s/file", dir);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(dir);
}

static void file_put(const void *data, size_t size)
{
    struct err err = { 0 };
    if (file_replace(path, data, size, 0600, &err) < 0)
        fail_msg("%s", err.text);
}

static size_t gzip_pack(const char *data, size_t size, void *out, size_t out_size)
{
    z_stream z = { .next_in = (unsigned char *)(uintptr_t)data,
                   .avail_in = (unsigned)size,
                   .next_out = out,
                   .avail_out = (unsigned)out_size };
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    (void)deflateEnd(&z);
    return out_size - z.avail_out;
}

static void all_is_read_whatever_packed_it(void **state)
{
    static char packed[2 * TEXT_BYTES];
    (void)state;
    for (int form = 0; form < 4; form++) {
        AUTO(strbuf_done) struct strbuf all = STRBUF_INIT;
        struct err err = { 0 };
        size_t half = TEXT_BYTES / 2;
        size_t size = 0;
        if (form == 0)
            file_put(text, TEXT_BYTES);
        if (form == 1)
            size = gzip_pack(text, TEXT_BYTES, packed, sizeof packed);
        if (form == 2)
            size = ZSTD_compress(packed, sizeof packed, text, TEXT_BYTES, 1);
        if (form == 3) { /* two members, one behind the other */
            size = gzip_pack(text, half, packed, sizeof packed);
            size += gzip_pack(text + half, TEXT_BYTES - half, packed + size,
                              sizeof packed - size);
        }
        if (size > 0)
            file_put(packed, size);
        strbuf_adds(&all, "before");
        if (input_read_all(path, TEXT_BYTES, &all, &err) < 0)
            fail_msg("form %d: %s", form, err.text);
        assert_int_equal(all.size, strlen("before") + TEXT_BYTES);
        assert_memory_equal(all.data + strlen("before"), text, TEXT_BYTES);
    }
}

static void what_is_cut_or_damaged_is_an_error(void **state)
{
    static char packed[2 * TEXT_BYTES];
    size_t size = gzip_pack(text, TEXT_BYTES, packed, sizeof packed);
    const struct {
        const char *name;
        size_t size, changed; /* the byte that is changed; 0: none */
    } cases[] = {
        { "cut", size / 2, 0 },
        { "cut at its end", size - 1, 0 },
        { "damaged", size, size / 2 },
        { "a header alone", 10, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf all = STRBUF_INIT;
        struct err err = { 0 };
        packed[cases[i].changed] ^= cases[i].changed ? 0x55 : 0;
        file_put(packed, cases[i].size);
        int rc = input_read_all(path, SIZE_MAX, &all, &err);
        if (rc != -EBADMSG || !strstr(err.text, path))
            fail_msg("%s: %d %s", cases[i].name, rc, err.text);
        packed[cases[i].changed] ^= cases[i].changed ? 0x55 : 0;
    }
}

static void a_limit_holds_for_what_comes_out(void **state)
{
    static char packed[2 * TEXT_BYTES];
    AUTO(strbuf_done) struct strbuf all = STRBUF_INIT;
    struct err err = { 0 };
    (void)state;
    file_put(packed, ZSTD_compress(packed, sizeof packed, text, TEXT_BYTES, 1));
    assert_int_equal(input_read_all(path, TEXT_BYTES - 1, &all, &err), -EMSGSIZE);
}

static void an_empty_file_ends_at_once(void **state)
{
    AUTO(input_close) struct input *input = NULL;
    const char *data = NULL;
    size_t size = 7;
    struct err err = { 0 };
    (void)state;
    file_put("", 0);
    assert_int_equal(input_open(path, &input, &err), 0);
    assert_int_equal(input_read(input, &data, &size, &err), 0);
    assert_int_equal(size, 0);
}

static void what_is_not_there_or_no_text_is_refused(void **state)
{
    struct input *input = NULL;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(input_open("/nonexistent/file", &input, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/file"));
    file_put("SQLite format 3", 16);
    assert_int_equal(input_open(path, &input, &err), -EBADMSG);
    assert_null(input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_read_whatever_packed_it),
        cmocka_unit_test(what_is_cut_or_damaged_is_an_error),
        cmocka_unit_test(a_limit_holds_for_what_comes_out),
        cmocka_unit_test(an_empty_file_ends_at_once),
        cmocka_unit_test(what_is_not_there_or_no_text_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
