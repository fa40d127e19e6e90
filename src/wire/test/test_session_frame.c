/* SPDX-License-Identifier: Apache-2.0 */
/* test_session_frame - a frame is read as it was written; damage is noticed. */
#include "base/span.h"
#include "wire/session_frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct session_frame sample = {
    .type = 5, .sequence = 7, .acknowledged = 6, .body = { "a body", 6 }
};

static void a_frame_is_read_as_it_was_written(void **state)
{
    (void)state;
    for (int check = SESSION_FRAME_HASHED; check <= SESSION_FRAME_BY_TLS; check++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct session_frame frame = { 0 };
        size_t used = 0;
        session_frame_print(&sample, check, &out);
        session_frame_print(&sample, check, &out);
        assert_int_equal(
            session_frame_read(strbuf_span(&out), 6, check, &frame, &used, NULL), 0);
        assert_int_equal(used, SESSION_FRAME_HEAD + 6);
        assert_int_equal(frame.type, 5);
        assert_int_equal(frame.sequence, 7);
        assert_int_equal(frame.acknowledged, 6);
        assert_true(span_is(frame.body, "a body"));
    }
}

static void a_part_of_it_wants_more(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct session_frame frame;
    size_t used;
    session_frame_print(&sample, SESSION_FRAME_HASHED, &out);
    for (size_t size = 0; size < out.size; size++)
        assert_int_equal(session_frame_read((struct span){ out.data, size }, 6,
                                            SESSION_FRAME_HASHED, &frame, &used, NULL),
                         1);
}

static void every_damaged_byte_is_noticed(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    session_frame_print(&sample, SESSION_FRAME_HASHED, &out);
    for (size_t i = 0; i < out.size; i++) {
        struct session_frame frame;
        struct err err = { 0 };
        size_t used;
        out.data[i] ^= 0x01;
        int rc = session_frame_read(strbuf_span(&out), 64, SESSION_FRAME_HASHED, &frame,
                                    &used, &err);
        out.data[i] ^= 0x01;
        if (rc == 0 || (rc < 0 && !err.text[0]))
            fail_msg("byte %zu: %d", i, rc);
    }
}

static void a_body_over_the_limit_is_refused_by_its_head(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct session_frame frame;
    struct err err = { 0 };
    size_t used;
    session_frame_print(&sample, SESSION_FRAME_HASHED, &out);
    struct span head = { out.data, SESSION_FRAME_HEAD };
    assert_int_equal(
        session_frame_read(head, 5, SESSION_FRAME_HASHED, &frame, &used, &err),
        -EMSGSIZE);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_read_as_it_was_written),
        cmocka_unit_test(a_part_of_it_wants_more),
        cmocka_unit_test(every_damaged_byte_is_noticed),
        cmocka_unit_test(a_body_over_the_limit_is_refused_by_its_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
