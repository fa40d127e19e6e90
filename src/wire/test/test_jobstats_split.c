/* SPDX-License-Identifier: Apache-2.0 */
/* test_jobstats_split - what becomes of a batch's rows and names when it is cut. */
#include "base/test/testing.h"
#include "wire/wire.h"

#include <errno.h>
#include <stdio.h>

#define AGENT "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11"
#define HEAD                                             \
    "{\"format\":\"baro-jobstats-1\",\"agent\":\"" AGENT \
    "\",\"sequence\":7,\"server\":\"oss01\",\"targets\":["
#define TARGET "{\"target\":\"s-OST0001\",\"kind\":\"ost\",\"timestamp\":"
#define T0 "\"2022-11-21T06:00:00.000Z\""
#define T1 "\"2022-11-21T06:02:00.000Z\""
#define ROW(id) "{\"entry_id\":\"" id "\",\"snapshot_time\":5,\"ops\":{}}"
#define ZERO(id) "{\"entry_id\":\"" id "\",\"snapshot_time\":null,\"ops\":{}}"

static void decode(struct span json, struct jobbatch *ret)
{
    AUTO(jobstats_decoder_free) struct jobstats_decoder *decoder = NULL;
    jobbatch_init(ret, 0);
    assert_int_equal(jobstats_decoder_new(ret, &decoder), 0);
    assert_int_equal(jobstats_decoder_feed(decoder, json.data, json.size, NULL), 0);
    assert_int_equal(jobstats_decoder_finish(decoder, NULL), 0);
    assert_int_equal(jobstats_decoder_bad_count(decoder), 0);
}

/* The identifiers of both halves: "ab|c". */
static void ids_of(const struct jobstats_halves *halves, struct strbuf *out)
{
    for (int i = 0; i < 2; i++) {
        AUTO(jobbatch_done) struct jobbatch batch;
        decode(strbuf_span(&halves->half[i].json), &batch);
        assert_int_equal(batch.row_count, halves->half[i].rows);
        for (size_t row = 0; row < batch.row_count; row++)
            strbuf_add_span(out, batch.rows[row].entry_id);
        if (i == 0)
            strbuf_addc(out, '|');
    }
}

static void rows_keep_their_order_and_zero_records_their_rows(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        const char *want;
    } cases[] = {
        { HEAD TARGET T1 ",\"entries\":[" ROW("a") "," ROW("b") "]}]}", "a|b" },
        { HEAD TARGET T1 ",\"entries\":[" ROW("a") "," ROW("b") "," ROW("c") "]}]}",
          "a|bc" },
        { HEAD TARGET T0 ",\"entries\":[" ROW("a") "]}," TARGET T1 ",\"entries\":[" ROW(
              "b") "," ROW("c") "," ROW("d") "]}]}",
          "ab|cd" },
        /* b's zero record would end the first half */
        { HEAD TARGET T0 ",\"entries\":[" ROW("a") "," ZERO(
              "b") "]}," TARGET T1 ",\"entries\":[" ROW("b") "," ROW("c") "]}]}",
          "abb|c" },
        { HEAD TARGET T0 ",\"entries\":[" ZERO(
              "a") "]}," TARGET T1 ",\"entries\":[" ROW("a") "," ROW("b") "]}]}",
          "aa|b" },
        { HEAD TARGET T0 ",\"entries\":[" ZERO("a") "]}," TARGET T1
                                                    ",\"entries\":[" ROW("a") "]}]}",
          "a|a" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(jobstats_halves_done) struct jobstats_halves halves = { .bad = 0 };
        AUTO(strbuf_done) struct strbuf ids = STRBUF_INIT;
        struct err err = { 0 };
        int rc = jobstats_split(span_of(cases[i].json), &halves, &err);
        if (rc < 0)
            fail_msg("%s: %s", cases[i].json, err.text);
        ids_of(&halves, &ids);
        assert_string_equal(strbuf_text(&ids), cases[i].want);
    }
}

static void a_name_belongs_to_one_content(void **state)
{
    (void)state;
    static const char four[] = HEAD TARGET T1
        ",\"entries\":[" ROW("a") "," ROW("b") "," ROW("c") "," ROW("d") "]}]}";
    AUTO(jobstats_halves_done) struct jobstats_halves once = { .bad = 0 };
    AUTO(jobstats_halves_done) struct jobstats_halves again = { .bad = 0 };
    AUTO(jobstats_halves_done) struct jobstats_halves quarters = { .bad = 0 };
    assert_int_equal(jobstats_split(SPAN(four), &once, NULL), 0);
    assert_int_equal(jobstats_split(SPAN(four), &again, NULL), 0);
    assert_int_equal(jobstats_split(strbuf_span(&once.half[0].json), &quarters, NULL),
                     0);
    const struct strbuf *texts[] = { &once.half[0].json, &once.half[1].json,
                                     &quarters.half[0].json, &quarters.half[1].json };
    struct uuid agents[COUNT_OF(texts) + 1];
    assert_int_equal(uuid_parse(SPAN(AGENT), &agents[COUNT_OF(texts)]), 0);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(jobbatch_done) struct jobbatch batch;
        decode(strbuf_span(texts[i]), &batch);
        assert_true(batch.has_id && batch.sequence == 7);
        assert_true(span_is(batch.server, "oss01"));
        agents[i] = batch.agent;
    }
    for (size_t i = 0; i < COUNT_OF(agents); i++)
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal(&agents[i], &agents[j], sizeof agents[i]);
    for (int i = 0; i < 2; i++)
        assert_string_equal(strbuf_text(&once.half[i].json),
                            strbuf_text(&again.half[i].json));
}

/* Two versions, one of which takes the second entry for none, too. */
static void a_name_is_of_entries_not_of_rows(void **state)
{
    (void)state;
#define FOUR ROW("c") "," ROW("d") "," ROW("e") "," ROW("f") "]}]}"
    static const char one[] = HEAD TARGET T1 ",\"entries\":[7," ROW("b") "," FOUR;
    static const char two[] = HEAD TARGET T1 ",\"entries\":[7,7," FOUR;
    static const char gap[] = HEAD TARGET T1 ",\"entries\":[" ROW("a") ",7," FOUR;
    static const char whole[] =
        HEAD TARGET T1 ",\"entries\":[" ROW("a") "," ROW("b") "," FOUR;
    const struct span texts[] = { SPAN(one), SPAN(two), SPAN(gap), SPAN(whole) };
    struct uuid names[COUNT_OF(texts)];
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(jobstats_halves_done) struct jobstats_halves halves = { .bad = 0 };
        assert_int_equal(jobstats_split(texts[i], &halves, NULL), 0);
        names[i] = halves.half[0].name;
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal(&names[i], &names[j], sizeof names[i]);
    }
}

static void what_cannot_be_cut_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        int want;
        const char *reason;
    } cases[] = {
        { HEAD TARGET T1 ",\"entries\":[" ROW("a") "]}]}", -ENODATA, "one row" },
        { HEAD "]}", -ENODATA, "one row" },
        { "{", -EBADMSG, "" },
        { "[{\"target\":\"s-OST0001\",\"entry_id\":\"a\",\"timestamp\":" T1 "},"
          "{\"target\":\"s-OST0001\",\"entry_id\":\"b\",\"timestamp\":" T1 "}]",
          -EBADMSG, "without agent" },
        { "{\"format\":\"baro-jobstats-2\",\"targets\":[]}", -EPROTONOSUPPORT,
          "format" },
        { HEAD TARGET T1 ",\"entries\":[" ROW("a") "," ROW("b") "],\"more\":1}]}",
          -EPROTONOSUPPORT, "does not know" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(jobstats_halves_done) struct jobstats_halves halves = { .bad = 0 };
        struct err err = { 0 };
        int rc = jobstats_split(span_of(cases[i].json), &halves, &err);
        if (rc != cases[i].want || !strstr(err.text, cases[i].reason) ||
            halves.half[0].json.data)
            fail_msg("%s: %d %s", cases[i].json, rc, err.text);
    }
}

static void entries_that_no_server_reads_are_counted(void **state)
{
    (void)state;
    static const char text[] =
        HEAD TARGET T1 ",\"entries\":[" ROW("a") ",7," ROW("b") ",{\"entry_id\":8}]}]}";
    AUTO(jobstats_halves_done) struct jobstats_halves halves = { .bad = 0 };
    assert_int_equal(jobstats_split(SPAN(text), &halves, NULL), 0);
    assert_int_equal(halves.bad, 2);
    assert_string_equal(strbuf_text(&halves.bad_reason), "not an object");
    assert_int_equal(halves.half[0].rows + halves.half[1].rows, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_keep_their_order_and_zero_records_their_rows),
        cmocka_unit_test(a_name_belongs_to_one_content),
        cmocka_unit_test(a_name_is_of_entries_not_of_rows),
        cmocka_unit_test(what_cannot_be_cut_is_refused_with_its_reason),
        cmocka_unit_test(entries_that_no_server_reads_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
