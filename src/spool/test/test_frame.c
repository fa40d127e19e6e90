/* SPDX-License-Identifier: Apache-2.0 */
/* test_frame - headers and records there and back, and any damage found out. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "spool/frame.h"

#include <errno.h>

static struct span bytes_of(const uint8_t *bytes, size_t size)
{
    return (struct span){ (const char *)bytes, size };
}

static void a_header_is_read_as_it_was_written(void **state)
{
    (void)state;
    const struct frame_header header = { .kind = "spol",
                                         .version = 3,
                                         .flags = UINT64_C(1) << 63,
                                         .first = FRAME_SEQUENCE_MAX };
    uint8_t bytes[FRAME_HEADER_BYTES];
    struct frame_header back;
    struct err err = { 0 };
    frame_write_header(&header, bytes);
    assert_int_equal(
        frame_read_header(bytes_of(bytes, sizeof bytes), "spol", 3, "f", &back, &err),
        0);
    assert_string_equal(back.kind, "spol");
    assert_int_equal(back.flags, header.flags);
    assert_int_equal(back.first, header.first);
    assert_int_equal(
        frame_read_header(bytes_of(bytes, sizeof bytes), "spol", 4, "f", &back, &err),
        -EPROTONOSUPPORT);
    assert_non_null(strstr(err.text, "f"));
    assert_int_equal(
        frame_read_header(bytes_of(bytes, sizeof bytes), "spak", 3, "f", &back, &err),
        -EBADMSG);
}

static void any_damage_of_a_header_is_found_out(void **state)
{
    (void)state;
    const struct frame_header header = { .kind = "spol", .version = 1, .first = 7 };
    uint8_t bytes[FRAME_HEADER_BYTES];
    struct frame_header back;
    struct err err = { 0 };
    frame_write_header(&header, bytes);
    for (size_t bit = 0; bit < sizeof bytes * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        assert_true(frame_read_header(bytes_of(bytes, sizeof bytes), "spol", 1, "f",
                                      &back, &err) < 0);
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    for (size_t size = 0; size < sizeof bytes; size++)
        assert_int_equal(
            frame_read_header(bytes_of(bytes, size), "spol", 1, "f", &back, &err),
            -EBADMSG);
}

static void a_number_over_the_limit_is_damage(void **state)
{
    (void)state;
    const struct frame_header header = { .kind = "spol",
                                         .version = 1,
                                         .first = FRAME_SEQUENCE_MAX + 1 };
    uint8_t bytes[FRAME_HEADER_BYTES];
    struct frame_header back;
    struct err err = { 0 };
    frame_write_header(&header, bytes);
    assert_int_equal(
        frame_read_header(bytes_of(bytes, sizeof bytes), "spol", 1, "f", &back, &err),
        -EBADMSG);
}

static void a_record_proves_itself(void **state)
{
    (void)state;
    struct frame_record record = { .count = 5, .sequence = 9, .mark = 77 }, back;
    struct span payload = SPAN("the payload");
    uint8_t head[FRAME_RECORD_BYTES];
    frame_write_record(&record, payload, head);
    assert_int_equal(frame_read_record(head, &back), 0);
    assert_int_equal(back.length, payload.size);
    assert_int_equal(back.count, 5);
    assert_int_equal(back.sequence, 9);
    assert_int_equal(back.mark, 77);
    assert_int_equal(frame_check_payload(&back, payload), 0);
    assert_int_equal(frame_check_payload(&back, SPAN("the paYload")), -EBADMSG);
    assert_int_equal(frame_check_payload(&back, SPAN("the payloa")), -EBADMSG);
    for (size_t bit = 0; bit < sizeof head * 8; bit++) {
        head[bit / 8] ^= (uint8_t)(1U << bit % 8);
        assert_int_equal(frame_read_record(head, &back), -EBADMSG);
        head[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
}

static void marks_count_around(void **state)
{
    (void)state;
    static const struct {
        uint32_t mark;
        uint64_t entries;
        uint32_t want;
    } cases[] = {
        { FRAME_MARK_FIRST, 0, 1 },
        { FRAME_MARK_FIRST, 5000, 5001 },
        { UINT32_MAX, 1, 1 },
        { UINT32_MAX, UINT32_MAX, UINT32_MAX },
        { 0, 5, 0 }, /* not recorded stays so */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t mark = frame_mark_add(cases[i].mark, cases[i].entries);
        assert_int_equal(mark, cases[i].want);
        assert_int_equal(frame_mark_between(cases[i].mark, mark),
                         cases[i].mark ? cases[i].entries % UINT32_MAX : 0);
    }
    assert_int_equal(frame_mark_between(0, 7), 0);
    assert_int_equal(frame_mark_between(7, 0), 0);
    assert_int_equal(frame_mark_between(UINT32_MAX, 3), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_is_read_as_it_was_written),
        cmocka_unit_test(any_damage_of_a_header_is_found_out),
        cmocka_unit_test(a_number_over_the_limit_is_damage),
        cmocka_unit_test(a_record_proves_itself),
        cmocka_unit_test(marks_count_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
