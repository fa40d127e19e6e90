/* SPDX-License-Identifier: Apache-2.0 */
/* test_ccms - files of cc-metric-store: what is reported of them, and what is refused.
 */
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "source/ccms/ccms.h"

#include <math.h>
#include <zlib.h>

static int take(void *arg, const struct ccms_series *s, const double *values,
                size_t count)
{
    struct strbuf *out = arg;
    for (size_t i = 0; i < s->level_count; i++)
        strbuf_addf(out, SPAN_FMT "/", SPAN_ARG(s->levels[i]));
    strbuf_addf(out, SPAN_FMT "@%lld+%lld:", SPAN_ARG(s->metric), (long long)s->start_s,
                (long long)s->step_s);
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            strbuf_adds(out, " -");
        else
            strbuf_addf(out, " %.17g", values[i]);
    }
    strbuf_addc(out, '\n');
    return 0;
}

static void json_is_told_level_by_level(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct ccms_sink sink = { take, &out };
    struct err err = { 0 };
    struct span text =
        SPAN("{\"from\":1,\"metrics\":{\"a\":{\"frequency\":60,\"start\":120,"
             "\"data\":[1.5,null,2]},\"b\":{\"data\":[7],\"start\":9,\"frequency\":3}},"
             "\"children\":{\"hwthread0\":{\"metrics\":{},\"children\":{\"x1\":"
             "{\"metrics\":{\"c\":{\"frequency\":1,\"start\":2,\"data\":[3]}},"
             "\"children\":{}}}},\"socket1\":{\"metrics\":{\"d\":{\"frequency\":1,"
             "\"start\":2,\"data\":[4]}},\"children\":{}}},\"to\":5}");
    assert_int_equal(ccms_read_json(text, &sink, &err), 0);
    assert_string_equal(strbuf_text(&out), "a@120+60: 1.5 - 2\nb@9+3: 7\n"
                                           "hwthread0/x1/c@2+1: 3\nsocket1/d@2+1: 4\n");
}

static void json_that_cannot_be_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "{\"metrics\":{\"a\":{\"frequency\":0,\"start\":1,\"data\":[1]}}}",
        "{\"metrics\":{\"a\":{\"start\":1,\"data\":[1]}}}",
        "{\"metrics\":{\"a\":{\"frequency\":1.5,\"start\":1,\"data\":[1]}}}",
        "{\"metrics\":{\"a\":{\"frequency\":1,\"start\":-1,\"data\":[1]}}}",
        "{\"metrics\":{\"\":{\"frequency\":1,\"start\":1,\"data\":[1]}}}",
        "{\"metrics\":{\"a\":{\"frequency\":1,\"start\":1,\"data\":[1e999]}}}",
        "{\"metrics\":[{\"frequency\":1,\"start\":1,\"data\":[1]}]}",
        "{\"children\":[{\"metrics\":{}}]}",
        "{\"metrics\":",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        "",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        const struct ccms_sink sink = { take, &out };
        struct err err = { 0 };
        int rc = ccms_read_json(span_of(cases[i]), &sink, &err);
        if (rc != -EBADMSG || !err.text[0])
            fail_msg("%s: got %d '%s'", cases[i], rc, err.text);
    }
}

static void add(struct strbuf *out, uint64_t value, size_t size)
{
    strbuf_add(out, &value, size);
}

static void add_text(struct strbuf *out, const char *text)
{
    add(out, strlen(text), 2);
    strbuf_adds(out, text);
}

static void add_float(struct strbuf *out, float value)
{
    strbuf_add(out, &value, sizeof value);
}

static void make_snapshot(struct strbuf *out)
{
    add(out, 0xCC5B0001, 4);
    add(out, 100, 8);
    add(out, 200, 8);
    add(out, 1, 4);
    add_text(out, "cpu_load");
    add(out, 60, 8);
    add(out, 120, 8);
    add(out, 3, 4);
    add_float(out, 1.1F);
    add_float(out, NAN);
    add_float(out, 16777217.0F);
    add(out, 1, 4);
    add_text(out, "hwthread7");
    add(out, 0, 4);
    add(out, 0, 4);
}

static void a_snapshot_is_told_and_any_part_of_it_is_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct ccms_sink sink = { take, &out };
    struct err err = { 0 };
    make_snapshot(&bytes);
    assert_int_equal(ccms_read_snapshot(strbuf_span(&bytes), &sink, &err), 0);
    assert_string_equal(strbuf_text(&out),
                        "cpu_load@120+60: 1.1000000000000001 - 16777216\n");
    for (size_t size = 0; size < bytes.size; size++) {
        struct span part = { bytes.data, size };
        assert_int_equal(ccms_read_snapshot(part, &sink, &err), -EBADMSG);
    }
    strbuf_addc(&bytes, 'x');
    assert_int_equal(ccms_read_snapshot(strbuf_span(&bytes), &sink, &err), -EBADMSG);
}

static void add_record(struct strbuf *out, int64_t t_s, float value)
{
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    add(&payload, (uint64_t)t_s, 8);
    add_text(&payload, "cpu_load");
    add(&payload, 1, 1);
    add(&payload, 9, 1);
    strbuf_adds(&payload, "hwthread7");
    add_float(&payload, value);
    add(out, 0xCC1DA7A1, 4);
    add(out, payload.size, 4);
    strbuf_add_span(out, strbuf_span(&payload));
    add(out, crc32(0, (const Bytef *)payload.data, (uInt)payload.size), 4);
}

static void a_log_gives_its_whole_records(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct ccms_sink sink = { take, &out };
    struct ccms_log_end end;
    struct err err = { 0 };
    add(&bytes, 0xCC1DA701, 4);
    add_record(&bytes, 1000, 0.3F);
    size_t first = bytes.size;
    add_record(&bytes, 1060, 2);
    assert_int_equal(ccms_read_log(strbuf_span(&bytes), &sink, &end, &err), 0);
    assert_int_equal(end.records, 2);
    assert_false(end.is_torn);
    assert_string_equal(strbuf_text(&out),
                        "hwthread7/cpu_load@1000+0: 0.29999999999999999\n"
                        "hwthread7/cpu_load@1060+0: 2\n");
    for (size_t size = first + 1; size < bytes.size; size++) {
        struct span part = { bytes.data, size };
        assert_int_equal(ccms_read_log(part, &sink, &end, &err), 0);
        assert_true(end.is_torn);
        assert_int_equal(end.good_bytes, first);
    }
    bytes.data[first + 12] ^= 1;
    assert_int_equal(ccms_read_log(strbuf_span(&bytes), &sink, &end, &err), -EBADMSG);
    assert_int_equal(end.good_bytes, first);
}

static void a_float_becomes_the_decimal_it_was_cut_from(void **state)
{
    (void)state;
    static const double cases[] = { 0,    1.1,    0.001,     99.99,  -12.345, 3e-9,
                                    1e30, 123456, 9999999.0, 0.5e-3, 1 / 3.0 };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double wide = ccms_widen((float)cases[i]);
        assert_true((float)wide == (float)cases[i]);
        if (i < 5)
            assert_true(wide == cases[i]);
    }
    assert_true(isnan(ccms_widen(NAN)));
    assert_true(isinf(ccms_widen(-INFINITY)));
    assert_true(signbit(ccms_widen(-0.0F)) != 0);
}

static void names_of_levels_are_type_and_id(void **state)
{
    (void)state;
    static const struct {
        const char *name, *type, *id;
    } cases[] = {
        { "hwthread7", "hwthread", "7" },
        { "accelerator00000000:49:00.0", "accelerator", "00000000:49:00.0" },
        { "memoryDomain0", "memoryDomain", "0" },
        { "gpu3", "gpu", "3" },
        { "0", "", "0" },
        { "foo", "foo", "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct span type, id;
        ccms_level_parse(span_of(cases[i].name), &type, &id);
        if (!span_is(type, cases[i].type) || !span_is(id, cases[i].id))
            fail_msg("%s: " SPAN_FMT " " SPAN_FMT, cases[i].name, SPAN_ARG(type),
                     SPAN_ARG(id));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_told_level_by_level),
        cmocka_unit_test(json_that_cannot_be_is_refused),
        cmocka_unit_test(a_snapshot_is_told_and_any_part_of_it_is_refused),
        cmocka_unit_test(a_log_gives_its_whole_records),
        cmocka_unit_test(a_float_becomes_the_decimal_it_was_cut_from),
        cmocka_unit_test(names_of_levels_are_type_and_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
