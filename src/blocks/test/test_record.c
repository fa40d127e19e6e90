/* SPDX-License-Identifier: Apache-2.0 */
/* test_record - batches as bytes and back; sizes that are promised; hostile bytes. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "blocks/codec.h"
#include "blocks/record.h"

#include <errno.h>
#include <math.h>

#define SECOND INT64_C(1000000000)
#define BEGIN (INT64_C(1700000000) * SECOND)

static void check_round(const struct record *record)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(record_done) struct record back = { 0 };
    assert_int_equal(record_encode(record, &bytes), 0);
    assert_int_equal(record_decode(strbuf_span(&bytes), &back), 0);
    assert_true(back.sequence == record->sequence);
    assert_int_equal(back.name_count, record->name_count);
    for (size_t i = 0; i < back.name_count; i++) {
        assert_int_equal(back.names[i].number, record->names[i].number);
        assert_true(back.names[i].step_ns == record->names[i].step_ns);
        assert_true(span_eq(back.names[i].path, record->names[i].path));
        assert_true(span_eq(back.names[i].metric, record->names[i].metric));
    }
    assert_int_equal(back.count, record->count);
    if (record->count == 0)
        return;
    assert_memory_equal(back.numbers, record->numbers, back.count * sizeof(uint32_t));
    assert_memory_equal(back.times, record->times, back.count * sizeof(int64_t));
    assert_memory_equal(back.values, record->values, back.count * sizeof(double));
}

static void reserve(struct record *record, size_t names, size_t samples)
{
    assert_int_equal(record_reserve(record, names, samples), 0);
    record->name_count = names;
    record->count = samples;
}

static void values_of_all_bits_come_back(void **state)
{
    (void)state;
    static const double plain[] = { 0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.1,
                                    99.99,
                                    -123.456,
                                    1e-6,
                                    1e15,
                                    35184372088831.0,
                                    35184372088832.0,
                                    1e300,
                                    5e-324,
                                    INFINITY,
                                    -INFINITY,
                                    1.0 / 3 };
    AUTO(record_done) struct record record = { .sequence = UINT64_MAX };
    reserve(&record, 0, COUNT_OF(plain) + 2);
    for (size_t i = 0; i < record.count; i++) {
        record.numbers[i] = (uint32_t)i + 1;
        record.times[i] = BEGIN;
        record.values[i] = i < COUNT_OF(plain) ? plain[i]
                           : i == COUNT_OF(plain)
                               ? bits_double(MISSING_BITS)
                               : bits_double(UINT64_C(0xFFF8000000000001));
    }
    check_round(&record);
}

static void times_of_every_unit_come_back(void **state)
{
    (void)state;
    static const int64_t units[] = { SECOND, 1000000, 1000, 1 };
    for (size_t u = 0; u < COUNT_OF(units); u++) {
        AUTO(record_done) struct record record = { 0 };
        reserve(&record, 0, 100);
        for (size_t i = 0; i < record.count; i++) {
            record.numbers[i] = 1 + (uint32_t)i % 3;
            /* Also backwards. */
            record.times[i] = BEGIN + (int64_t)(i * 7 % 100) * units[u];
            record.values[i] = (double)i;
        }
        check_round(&record);
    }
}

static void names_come_back(void **state)
{
    (void)state;
    AUTO(record_done) struct record record = { .sequence = 1 };
    reserve(&record, 2, 1);
    record.names[0] = (struct record_name){ 1, SPAN("c/h/cpu:0"), SPAN("load"), 0 };
    record.names[1] =
        (struct record_name){ SERIES_NUMBER_MAX, SPAN("c"), SPAN("m"), 10 * SECOND };
    record.numbers[0] = SERIES_NUMBER_MAX;
    record.times[0] = 0;
    record.values[0] = 1;
    check_round(&record);
}

static void an_empty_record_comes_back(void **state)
{
    (void)state;
    const struct record record = { .sequence = 3 };
    check_round(&record);
}

/* A sender names its series in the same order each time, and sends small decimals. */
static void a_usual_sample_takes_three_bytes_at_most(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(record_done) struct record record = { .sequence = 1000 };
    reserve(&record, 0, 1000);
    for (size_t i = 0; i < record.count; i++) {
        record.numbers[i] = 50000 + (uint32_t)i;
        record.times[i] = BEGIN;
        record.values[i] = (double)(i % 1000) / 10;
    }
    assert_int_equal(record_encode(&record, &bytes), 0);
    assert_true(bytes.size <= 3 * record.count + 32);
}

static void a_record_that_is_cut_anywhere_is_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(record_done) struct record record = { .sequence = 300 };
    reserve(&record, 1, 5);
    record.names[0] = (struct record_name){ 1, SPAN("c/h"), SPAN("load"), SECOND };
    for (size_t i = 0; i < record.count; i++) {
        record.numbers[i] = 1;
        record.times[i] = BEGIN + (int64_t)i;
        record.values[i] = 1.0 / 3;
    }
    assert_int_equal(record_encode(&record, &bytes), 0);
    for (size_t size = 0; size < bytes.size; size++) {
        AUTO(record_done) struct record back = { 0 };
        const struct span cut = { bytes.data, size };
        assert_int_equal(record_decode(cut, &back), -EBADMSG);
    }
    AUTO(record_done) struct record back = { 0 };
    strbuf_addc(&bytes, 0); /* nor may anything follow */
    assert_int_equal(record_decode(strbuf_span(&bytes), &back), -EBADMSG);
}

static void hostile_bytes_are_refused(void **state)
{
    (void)state;
#define HOSTILE(text)          \
    {                          \
        text, sizeof(text) - 1 \
    }
    static const struct {
        const char *data;
        size_t size;
    } cases[] = {
        HOSTILE(""),
        HOSTILE("\x01\xFF\xFF\xFF\xFF\x0F"),             /* names without end */
        HOSTILE("\x01\x00\xFF\xFF\xFF\xFF\x0F"),         /* samples without end */
        HOSTILE("\x01\x01\x00\x00\x01p\x01m\x00"),       /* number 0 */
        HOSTILE("\x01\x00\x01\x00\x01\x00\x00\x01\x00"), /* a sample of number 0 */
        HOSTILE("\x01\x00\x01\x01\x01\x00\x00\x01\x00"), /* of a number below 0 */
        HOSTILE("\x01\x00\x01\x02\x02\x00\x00\x01\x00"), /* a run too long */
        HOSTILE("\x01\x00\x01\x02\x00\x00\x00\x01\x00"), /* a run of none */
        HOSTILE("\x01\x00\x01\x02\x01\x04\x00\x01\x00"), /* a unit that is none */
        HOSTILE("\x01\x00\x01\x02\x01\x00\x00\x01\x17"), /* a code that is none */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(record_done) struct record back = { 0 };
        const struct span payload = { cases[i].data, cases[i].size };
        int rc = record_decode(payload, &back);
        if (rc != -EBADMSG)
            fail_msg("case %zu: %d", i, rc);
    }
    /* The least that is good. */
    AUTO(record_done) struct record back = { 0 };
    const struct span good = SPAN("\x01\x00\x01\x02\x01\x00\x00\x01\x00");
    assert_int_equal(record_decode(good, &back), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_all_bits_come_back),
        cmocka_unit_test(times_of_every_unit_come_back),
        cmocka_unit_test(names_come_back),
        cmocka_unit_test(an_empty_record_comes_back),
        cmocka_unit_test(a_usual_sample_takes_three_bytes_at_most),
        cmocka_unit_test(a_record_that_is_cut_anywhere_is_refused),
        cmocka_unit_test(hostile_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
