/* SPDX-License-Identifier: Apache-2.0 */
/* test_batch_parts - what becomes of a batch's rows and names when it is cut. */
#include "base/span.h"
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

/* A batch and its two halves. */
struct halved {
    struct batch_parts *parts;
    struct batch_part half[2];
    struct strbuf json[2];
};

static void halved_done(struct halved *h)
{
    batch_parts_free(h->parts);
    strbuf_done(&h->json[0]);
    strbuf_done(&h->json[1]);
}
DEFINE_AUTO_DONE(struct halved, halved_done);

static int halve(struct span json, struct halved *ret, struct err *err)
{
    *ret = (struct halved){ .parts = NULL };
    int rc = batch_parts_new(json, &ret->parts, err);
    if (rc < 0)
        return rc;
    struct batch_part whole = batch_parts_whole(ret->parts);
    rc = batch_parts_halve(ret->parts, &whole, ret->half);
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = batch_parts_encode(ret->parts, &ret->half[i], &ret->json[i]);
    return rc;
}

/* The identifiers of both halves: "ab|c". */
static void ids_of(const struct halved *halved, struct strbuf *out)
{
    for (int i = 0; i < 2; i++) {
        AUTO(jobbatch_done) struct jobbatch batch;
        decode(strbuf_span(&halved->json[i]), &batch);
        assert_int_equal(batch.row_count, halved->half[i].end - halved->half[i].first);
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
        AUTO(halved_done) struct halved halves;
        AUTO(strbuf_done) struct strbuf ids = STRBUF_INIT;
        struct err err = { 0 };
        int rc = halve(span_of(cases[i].json), &halves, &err);
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
    AUTO(halved_done) struct halved once;
    AUTO(halved_done) struct halved again;
    AUTO(halved_done) struct halved quarters;
    assert_int_equal(halve(SPAN(four), &once, NULL), 0);
    assert_int_equal(halve(SPAN(four), &again, NULL), 0);
    assert_int_equal(halve(strbuf_span(&once.json[0]), &quarters, NULL), 0);
    const struct strbuf *texts[] = { &once.json[0], &once.json[1], &quarters.json[0],
                                     &quarters.json[1] };
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
        assert_string_equal(strbuf_text(&once.json[i]), strbuf_text(&again.json[i]));
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
        AUTO(halved_done) struct halved halves;
        assert_int_equal(halve(texts[i], &halves, NULL), 0);
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
        { HEAD TARGET T1 ",\"entries\":[" ROW("a") "]}]}", -ENODATA, "" },
        { HEAD "]}", -ENODATA, "" },
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
        AUTO(halved_done) struct halved halves;
        struct err err = { 0 };
        int rc = halve(span_of(cases[i].json), &halves, &err);
        if (rc != cases[i].want || !strstr(err.text, cases[i].reason) ||
            halves.json[0].data)
            fail_msg("%s: %d %s", cases[i].json, rc, err.text);
    }
}

static void entries_that_no_server_reads_are_counted(void **state)
{
    (void)state;
    static const char text[] =
        HEAD TARGET T1 ",\"entries\":[" ROW("a") ",7," ROW("b") ",{\"entry_id\":8}]}]}";
    AUTO(halved_done) struct halved halves;
    assert_int_equal(halve(SPAN(text), &halves, NULL), 0);
    assert_int_equal(batch_parts_bad_count(halves.parts), 2);
    assert_string_equal(batch_parts_bad_reason(halves.parts), "not an object");
    assert_int_equal(halves.half[1].end, 2);
}

/* What a part is called does not depend on whether it was decoded anew in between: an
 * agent that was killed amid the parts gives the same names when it comes back. */
static void a_part_of_a_part_is_named_as_if_it_had_been_decoded(void **state)
{
    (void)state;
    static const char seven[] =
        HEAD TARGET T1 ",\"entries\":[7," ROW("a") "," ROW("b") ",7," ZERO("c") "," ROW(
            "c") "," ROW("d") "," ROW("e") "," ROW("f") ",8]}]}";
    AUTO(halved_done) struct halved h;
    assert_int_equal(halve(SPAN(seven), &h, NULL), 0);
    for (int i = 0; i < 2; i++) {
        AUTO(halved_done) struct halved anew;
        struct batch_part quarters[2];
        assert_int_equal(halve(strbuf_span(&h.json[i]), &anew, NULL), 0);
        assert_int_equal(batch_parts_halve(h.parts, &h.half[i], quarters), 0);
        for (int k = 0; k < 2; k++) {
            AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
            assert_memory_equal(&quarters[k].name, &anew.half[k].name,
                                sizeof quarters[k].name);
            assert_int_equal(batch_parts_encode(h.parts, &quarters[k], &json), 0);
            assert_string_equal(strbuf_text(&json), strbuf_text(&anew.json[k]));
        }
    }
}

/* Halved until each part is one row: nothing is lost, doubled or out of order. */
static void all_rows_are_in_the_smallest_parts_once(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    AUTO(batch_parts_free) struct batch_parts *parts = NULL;
    strbuf_adds(&json, HEAD TARGET T1 ",\"entries\":[");
    for (char c = 'a'; c <= 'z'; c++)
        strbuf_addf(&json, "%s{\"entry_id\":\"%c\",\"snapshot_time\":5,\"ops\":{}}",
                    c > 'a' ? "," : "", c);
    strbuf_adds(&json, "]}]}");
    assert_int_equal(batch_parts_new(strbuf_span(&json), &parts, NULL), 0);
    struct batch_part stack[32] = { batch_parts_whole(parts) };
    size_t depth = 1, next = 0;
    while (depth) {
        struct batch_part part = stack[--depth], halves[2];
        int rc = batch_parts_halve(parts, &part, halves);
        if (rc == -ENODATA) {
            assert_int_equal(part.first, next++);
            assert_int_equal(part.end, next);
            continue;
        }
        assert_int_equal(rc, 0);
        stack[depth++] = halves[1];
        stack[depth++] = halves[0];
    }
    assert_int_equal(next, 26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_keep_their_order_and_zero_records_their_rows),
        cmocka_unit_test(a_name_belongs_to_one_content),
        cmocka_unit_test(a_name_is_of_entries_not_of_rows),
        cmocka_unit_test(what_cannot_be_cut_is_refused_with_its_reason),
        cmocka_unit_test(entries_that_no_server_reads_are_counted),
        cmocka_unit_test(a_part_of_a_part_is_named_as_if_it_had_been_decoded),
        cmocka_unit_test(all_rows_are_in_the_smallest_parts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
