/* SPDX-License-Identifier: Apache-2.0 */
/* test_sample_record - samples of a queue, as they were and cut. */
#include "base/span.h"
#include "base/test/testing.h"
#include "forward/sample_record.h"

#include <errno.h>

static const struct queued_sample samples[] = {
    { .series = 1, .t_ms = 1700000000000, .bits = 0x3FF0000000000000 },
    { .series = 4000000000, .t_ms = 1700000000000, .bits = 0x7FF0000000000002 },
    { .series = 1, .t_ms = 5, .bits = 0 },
    { .series = 2, .t_ms = INT64_MIN, .bits = UINT64_MAX },
    { .series = 2, .t_ms = INT64_MAX, .bits = 1 },
};

static void write_all(struct strbuf *out)
{
    struct sample_record_writer writer;
    sample_record_begin(&writer, out, 77);
    for (size_t i = 0; i < COUNT_OF(samples); i++)
        sample_record_add(&writer, &samples[i]);
}

static void samples_come_back(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf record = STRBUF_INIT;
    struct sample_record_reader reader;
    struct queued_sample sample;
    write_all(&record);
    assert_int_equal(sample_record_open(&reader, strbuf_span(&record)), 0);
    assert_int_equal(reader.list, 77);
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        assert_int_equal(sample_record_next(&reader, &sample), 1);
        assert_int_equal(sample.series, samples[i].series);
        assert_true(sample.t_ms == samples[i].t_ms && sample.bits == samples[i].bits);
    }
    assert_int_equal(sample_record_next(&reader, &sample), 0);
}

static void a_cut_record_is_read_to_where_it_is_whole(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf record = STRBUF_INIT;
    write_all(&record);
    size_t ends = 0;
    for (size_t size = 0; size < record.size; size++) {
        struct sample_record_reader reader;
        struct queued_sample sample;
        int rc = sample_record_open(&reader, (struct span){ record.data, size });
        while (rc == 0 && (rc = sample_record_next(&reader, &sample)) == 1)
            rc = 0;
        assert_true(rc == 0 || rc == -EBADMSG);
        ends += rc == 0;
    }
    assert_int_equal(ends, 0 + COUNT_OF(samples));
    record.data[0] = 2;
    struct sample_record_reader reader;
    assert_int_equal(sample_record_open(&reader, strbuf_span(&record)), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_back),
        cmocka_unit_test(a_cut_record_is_read_to_where_it_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
