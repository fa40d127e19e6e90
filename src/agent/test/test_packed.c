/* SPDX-License-Identifier: Apache-2.0 */
/* test_packed - a text there and back, and frames that are none. */
#include "agent/packed.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>

static void what_is_packed_is_read(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf packed = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf back = STRBUF_INIT;
    static const size_t sizes[] = { 0, 1, 100, 70000, 3 };
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        strbuf_clear(&text);
        for (size_t k = 0; k < sizes[i]; k++)
            strbuf_addc(&text, (char)(k * k >> 3));
        assert_int_equal(packed_write(strbuf_span(&text), &packed), 0);
        size_t size = packed.size;
        packed_fit(&packed);
        assert_int_equal(packed.size, size);
        assert_int_equal(packed_read(strbuf_span(&packed), sizes[i], &back), 0);
        assert_true(span_eq(strbuf_span(&back), strbuf_span(&text)));
    }
}

static void what_is_no_frame_is_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf packed = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf back = STRBUF_INIT;
    struct span text = SPAN("a text of some length, of some length, of some length");
    assert_int_equal(packed_write(text, &packed), 0);
    struct span frame = strbuf_span(&packed);
    assert_int_equal(packed_read(frame, text.size - 1, &back), -EBADMSG);
    assert_int_equal(back.size, 0);
    for (size_t cut = 0; cut < frame.size; cut++)
        assert_int_equal(packed_read((struct span){ frame.data, cut }, 1000, &back),
                         -EBADMSG);
    assert_int_equal(packed_read(SPAN("no frame at all"), 1000, &back), -EBADMSG);
    assert_int_equal(packed_read(frame, 1000, &back), 0);
    assert_true(span_eq(strbuf_span(&back), text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_is_read),
        cmocka_unit_test(what_is_no_frame_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
