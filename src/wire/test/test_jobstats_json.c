/* SPDX-License-Identifier: Apache-2.0 */
/* test_jobstats_json - batches there and back, and what a bad one costs. */
#include "base/span.h"
#include "base/test/testing.h"
#include "wire/jobstats_json.h"

#include <errno.h>
#include <stdio.h>

struct fixture {
    struct jobbatch batch;
    struct jobstats_decoder *decoder;
    struct err err;
};

static void fixture_done(struct fixture *f)
{
    jobstats_decoder_free(f->decoder);
    jobbatch_done(&f->batch);
}
DEFINE_AUTO_DONE(struct fixture, fixture_done);

/* Decode text in pieces of piece bytes. */
static int decode(struct fixture *f, struct span text, size_t piece)
{
    *f = (struct fixture){ 0 };
    jobbatch_init(&f->batch, 64 << 20);
    assert_int_equal(jobstats_decoder_new(&f->batch, &f->decoder), 0);
    while (text.size) {
        size_t n = text.size < piece ? text.size : piece;
        int rc = jobstats_decoder_feed(f->decoder, text.data, n, &f->err);
        if (rc < 0)
            return rc;
        text = span_skip(text, n);
    }
    return jobstats_decoder_finish(f->decoder, &f->err);
}

#define HEAD                                                             \
    "{\"format\":\"baro-jobstats-1\","                                   \
    "\"agent\":\"8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11\",\"sequence\":7," \
    "\"server\":\"oss01\",\"targets\":[{\"target\":\"scratch-OST0001\"," \
    "\"kind\":\"ost\",\"timestamp\":\"2022-11-21T06:02:00.000Z\",\"entries\":["
#define TAIL "]}]}"
#define ENTRY(members) HEAD "{\"entry_id\":\"a.0\"," members "}" TAIL

static void the_documented_example_is_understood(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "{\"entry_id\":\"11317854:17627127:r01c01\",\"exact\":true,"
             "\"since\":\"2022-11-21T06:00:00.000Z\",\"previous\":null,\"reset\":false,"
             "\"snapshot_time\":1669010520,\"start_time\":1669009000.987654321,"
             "\"ops\":{\"write_bytes\":{\"samples\":7,\"unit\":\"bytes\",\"min\":1,"
             "\"max\":2,\"sum\":18446744073709551615,\"sumsq\":30,"
             "\"hist\":\"32K: 1, 1M: 5\"}}}" TAIL;
    AUTO(fixture_done) struct fixture f;
    assert_int_equal(decode(&f, SPAN(text), sizeof text), 0);
    assert_true(f.batch.has_id && f.batch.sequence == 7);
    assert_true(span_is(f.batch.server, "oss01"));
    assert_int_equal(f.batch.row_count, 1);
    const struct jobrow *row = &f.batch.rows[0];
    assert_true(span_is(row->target, "scratch-OST0001"));
    assert_true(row->kind == TARGET_OST && row->id_exact);
    assert_true(span_is(row->entry_id, "11317854:17627127:r01c01"));
    assert_true(span_is(row->server, "oss01"));
    assert_true(row->t_ms == INT64_C(1669010520000));
    assert_true(row->since_ms == INT64_C(1669010400000));
    assert_true(row->previous_ms == T_NONE && row->reset == RESET_NO);
    assert_true(row->snapshot_ns == INT64_C(1669010520000000000));
    assert_true(row->start_ns == INT64_C(1669009000987654321));
    uint64_t bit = UINT64_C(1) << OP_WRITE_BYTES;
    assert_true(row->has_samples == bit && row->has_sum == bit);
    assert_true(row->samples[OP_WRITE_BYTES] == 7);
    assert_true(row->sum[OP_WRITE_BYTES] == UINT64_MAX);
    assert_true(span_is(row->more, "{\"write_bytes\":{\"min\":1,\"max\":2,"
                                   "\"sumsq\":30,\"hist\":\"32K: 1, 1M: 5\"}}"));
}

static void the_flat_form_of_the_proposal_is_understood(void **state)
{
    (void)state;
    static const char text[] =
        "[{\"target\":\"scratch-OST0001\",\"entry_id\":\"11317854:17627127:r01c01\","
        "\"timestamp\":\"2022-11-21T06:02:00.000+00:00\",\"snapshot_time\":1669010520,"
        "\"read\":7754,\"write\":4284,\"write_bytes\":99,\"sync\":null,"
        "\"time_series_id\":\"x\"},"
        "{\"target\":\"scratch-OST0001\",\"entry_id\":\"11317854:17627127:r01c01\","
        "\"timestamp\":\"2022-11-21T06:00:00.000+00:00\",\"snapshot_time\":null,"
        "\"read\":0,\"write\":0},"
        "{\"target\":\"scratch-OST0002\",\"read\":1},7,"
        "{\"entry_id\":\"x\",\"timestamp\":\"2022-11-21T06:00:00.000Z\"}]";
    AUTO(fixture_done) struct fixture f;
    assert_int_equal(decode(&f, SPAN(text), sizeof text), 0);
    assert_false(f.batch.has_id);
    assert_int_equal(f.batch.row_count, 2);
    const struct jobrow *row = &f.batch.rows[0];
    assert_true(row->t_ms == INT64_C(1669010520000) && row->kind == TARGET_OST);
    assert_true(row->reset == RESET_UNKNOWN && row->since_ms == T_NONE);
    assert_true(row->samples[OP_READ] == 7754 && row->samples[OP_WRITE] == 4284);
    uint64_t read_and_write = UINT64_C(1) << OP_READ | UINT64_C(1) << OP_WRITE;
    assert_true(row->has_samples == read_and_write);
    assert_true(row->has_sum == UINT64_C(1) << OP_WRITE_BYTES);
    assert_true(row->sum[OP_WRITE_BYTES] == 99);
    assert_true(f.batch.rows[1].snapshot_ns == T_NONE);
    assert_true(f.batch.rows[1].has_samples == read_and_write);
    assert_int_equal(jobstats_decoder_unknown_count(f.decoder), 1);
    assert_int_equal(jobstats_decoder_bad_count(f.decoder), 3);
    static const char *const reasons[] = { "no entry_id", "not an object",
                                           "no target" };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(jobstats_decoder_bad(f.decoder, i)->entry, i + 2);
        assert_string_equal(jobstats_decoder_bad(f.decoder, i)->reason, reasons[i]);
    }
}

static void a_bad_entry_costs_itself_only(void **state)
{
    (void)state;
    static const struct {
        const char *members; /* of the entry in the middle */
        const char *reason;
    } cases[] = {
        { "\"x\":1", "no entry_id" },
        { "\"entry_id\":5", "entry_id is not a text" },
        { "\"entry_id\":\"\\\\q\"", "entry_id is too long" },
        { "\"entry_id\":[]", "\"entry_id\" has the wrong type" },
        { "\"entry_id\":\"b\",\"since\":5", "since is not a time" },
        { "\"entry_id\":\"b\",\"since\":\"2022-11-21T06:00:00.0001Z\"",
          "since is not a time" },
        { "\"entry_id\":\"b\",\"since\":\"2022-11-21T06:00:00.000\"",
          "since is not a time" },
        { "\"entry_id\":\"b\",\"previous\":true", "previous is not a time" },
        { "\"entry_id\":\"b\",\"reset\":1", "reset is neither" },
        { "\"entry_id\":\"b\",\"exact\":null", "exact is neither" },
        { "\"entry_id\":\"b\",\"snapshot_time\":\"1\"", "snapshot_time is not" },
        { "\"entry_id\":\"b\",\"start_time\":-1", "start_time is not" },
        { "\"entry_id\":\"b\",\"start_time\":1e9", "start_time is not" },
        { "\"entry_id\":\"b\",\"ops\":[]", "\"ops\" has the wrong type" },
        { "\"entry_id\":\"b\",\"ops\":null", "\"ops\" is not an object" },
        { "\"entry_id\":\"b\",\"ops\":{\"read\":5}", "\"ops\" holds something" },
        { "\"entry_id\":\"b\",\"ops\":{\"read\":[{\"samples\":1}]}",
          "\"ops\" holds something" },
        { "\"entry_id\":\"b\",\"ops\":{\"\":{}}", "the name of an operation" },
        { "\"entry_id\":\"b\",\"ops\":{\"read\":{\"samples\":1.0}}",
          "read: samples is not a count" },
        { "\"entry_id\":\"b\",\"ops\":{\"read\":{\"sum\":18446744073709551616}}",
          "read: sum is not a count" },
        { "\"entry_id\":\"b\",\"ops\":{\"read\":{\"max\":-1}}",
          "read: max is not a count" },
        { "\"entry_id\":\"b\",\"ops\":{\"read\":{\"unit\":1}}",
          "read: unit is not a text" },
        { "\"entry_id\":\"b\",\"ops\":{\"read\":{\"hist\":{}}}",
          "read: hist has the wrong type" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        strbuf_addf(&text, HEAD "{\"entry_id\":\"a\"},{%s},{\"entry_id\":\"c\"}" TAIL,
                    cases[i].members);
        AUTO(fixture_done) struct fixture f;
        int rc = decode(&f, strbuf_span(&text), SIZE_MAX);
        const struct jobstats_bad *bad = jobstats_decoder_bad(f.decoder, 0);
        bool is_right =
            rc == 0 && f.batch.row_count == 2 &&
            jobstats_decoder_bad_count(f.decoder) == 1 && bad->entry == 1 &&
            strncmp(bad->reason, cases[i].reason, strlen(cases[i].reason)) == 0 &&
            span_is(f.batch.rows[1].entry_id, "c") &&
            f.batch.rows[1].t_ms == INT64_C(1669010520000) &&
            jobstats_decoder_entry_of(f.decoder, 1) == 2;
        if (!is_right)
            fail_msg("%s: %d %s, %s", cases[i].members, rc, f.err.text, bad->reason);
    }
}

/* Each text at its limit is taken, and one byte more costs the entry. */
static void limits_are_held_to_the_byte(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after; /* the bytes in the middle are x */
        size_t most;
        const char *reason;
    } cases[] = {
        { "\"entry_id\":\"", "\"", 255, "entry_id is over 255 bytes" },
        { "\"entry_id\":\"b\",\"ops\":{\"", "\":{\"samples\":1}}", 64,
          "the name of an operation is empty or over 64 bytes" },
        { "\"entry_id\":\"b\",\"ops\":{\"read\":{\"unit\":\"", "\"}}", 31,
          "unit is over 31 bytes" },
        { "\"entry_id\":\"b\",\"ops\":{\"read\":{\"hist\":\"", "\"}}", 4096,
          "hist is over 4096 bytes" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (size_t over = 0; over < 2; over++) {
            AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
            strbuf_addf(&text, HEAD "{%s", cases[i].before);
            for (size_t k = 0; k < cases[i].most + over; k++)
                strbuf_addc(&text, 'x');
            strbuf_addf(&text, "%s}" TAIL, cases[i].after);
            AUTO(fixture_done) struct fixture f;
            int rc = decode(&f, strbuf_span(&text), 1000);
            const struct jobstats_bad *bad = jobstats_decoder_bad(f.decoder, 0);
            if (rc < 0 || f.batch.row_count != !over ||
                (over && strcmp(bad->reason, cases[i].reason) != 0))
                fail_msg("%s: %d, %zu rows, %s", cases[i].before, rc, f.batch.row_count,
                         bad->reason);
        }
    }
}

/* An identifier of 255 bytes may be written with four characters each, and no longer.
 */
static void an_escaped_entry_id_has_its_limit_in_bytes(void **state)
{
    (void)state;
    static const struct {
        size_t escaped, plain;
        const char *reason; /* NULL: it is taken */
    } cases[] = {
        { 255, 0, NULL },
        { 254, 1, NULL },
        { 254, 2, "entry_id is over 255 bytes" },
        { 255, 1, "entry_id is too long, or a backslash in it is no \\xHH" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        strbuf_adds(&text, HEAD "{\"entry_id\":\"");
        for (size_t k = 0; k < cases[i].escaped; k++)
            strbuf_adds(&text, "\\\\x00");
        for (size_t k = 0; k < cases[i].plain; k++)
            strbuf_addc(&text, 'x');
        strbuf_adds(&text, "\"}" TAIL);
        AUTO(fixture_done) struct fixture f;
        assert_int_equal(decode(&f, strbuf_span(&text), SIZE_MAX), 0);
        const struct jobstats_bad *bad = jobstats_decoder_bad(f.decoder, 0);
        if (f.batch.row_count != (cases[i].reason ? 0 : 1) ||
            (cases[i].reason && strcmp(bad->reason, cases[i].reason) != 0))
            fail_msg("%zu: %zu rows, %s", i, f.batch.row_count, bad->reason);
        if (!cases[i].reason)
            assert_int_equal(f.batch.rows[0].entry_id.size, 255);
    }
}

static void an_entry_has_so_many_operations_and_so_much_beside_them(void **state)
{
    (void)state;
    for (size_t over = 0; over < 2; over++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        strbuf_adds(&text, HEAD "{\"entry_id\":\"b\",\"ops\":{");
        for (size_t i = 0; i < ENTRY_OPS_MAX + over; i++)
            strbuf_addf(&text, "%s\"op%zu\":{\"samples\":1}", i ? "," : "", i);
        strbuf_adds(&text, "}}" TAIL);
        AUTO(fixture_done) struct fixture f;
        assert_int_equal(decode(&f, strbuf_span(&text), SIZE_MAX), 0);
        assert_int_equal(f.batch.row_count, !over);
        if (over)
            assert_string_equal(jobstats_decoder_bad(f.decoder, 0)->reason,
                                "more than 64 operations");
    }
    /* {"read":{"hist":"x..."},... takes 16384 bytes without the last brace, then more.
     */
    static const char *const ops[] = { "read", "write", "open", "close" };
    const size_t frame = sizeof "{" - 1 + 3 /* commas */ +
                         4 * (sizeof "\"\":{\"hist\":\"\"}" - 1) +
                         sizeof "readwriteopenclose" - 1;
    for (size_t over = 0; over < 2; over++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        size_t left = 16384 - frame + over;
        strbuf_adds(&text, HEAD "{\"entry_id\":\"b\",\"ops\":{");
        for (size_t i = 0; i < COUNT_OF(ops); i++) {
            size_t size = left < 4096 ? left : 4096;
            left -= size;
            strbuf_addf(&text, "%s\"%s\":{\"hist\":\"", i ? "," : "", ops[i]);
            for (size_t k = 0; k < size; k++)
                strbuf_addc(&text, 'x');
            strbuf_adds(&text, "\"}");
        }
        strbuf_adds(&text, "}}" TAIL);
        AUTO(fixture_done) struct fixture f;
        assert_int_equal(decode(&f, strbuf_span(&text), SIZE_MAX), 0);
        if (f.batch.row_count != !over)
            fail_msg("%zu over: %zu bytes, %s", over,
                     f.batch.row_count ? f.batch.rows[0].more.size : 0,
                     jobstats_decoder_bad(f.decoder, 0)->reason);
    }
}

/* Names of servers and targets: at most 255 and 128 bytes. */
static void names_have_their_limits(void **state)
{
    (void)state;
    for (size_t over = 0; over < 2; over++) {
        AUTO(strbuf_done) struct strbuf server = STRBUF_INIT, target = STRBUF_INIT;
        strbuf_adds(&server,
                    "{\"format\":\"baro-jobstats-1\",\"targets\":[],\"server\":\"");
        for (size_t i = 0; i < 255 + over; i++)
            strbuf_addc(&server, 'x');
        strbuf_adds(&server, "\"}");
        AUTO(fixture_done) struct fixture f;
        assert_int_equal(decode(&f, strbuf_span(&server), SIZE_MAX),
                         over ? -EBADMSG : 0);

        strbuf_adds(&target,
                    "{\"format\":\"baro-jobstats-1\",\"targets\":[{\"kind\":\"ost\","
                    "\"port\":7,\"timestamp\":\"2022-11-21T06:02:00Z\",\"entries\":["
                    "{\"entry_id\":\"a\"}],\"target\":\"");
        for (size_t i = 0; i < 128 + over; i++)
            strbuf_addc(&target, 'x');
        strbuf_adds(&target, "\"}]}");
        AUTO(fixture_done) struct fixture g;
        assert_int_equal(decode(&g, strbuf_span(&target), SIZE_MAX), 0);
        assert_int_equal(g.batch.row_count, !over);
        assert_int_equal(jobstats_decoder_unknown_count(g.decoder), 1);
        if (over)
            assert_string_equal(jobstats_decoder_bad(g.decoder, 0)->reason,
                                "target is over 128 bytes");
        else
            assert_true(g.batch.rows[0].kind == TARGET_OST);
    }
}

/* In the flat form an operation is a count, or null for what was not observed. */
static void a_flat_count_that_is_none_costs_its_entry(void **state)
{
    (void)state;
    static const char *const cases[] = { "\"7\"", "1.5", "-1", "true",
                                         "18446744073709551616" };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        strbuf_addf(&text,
                    "[{\"target\":\"s-OST0001\",\"entry_id\":\"a\",\"read\":%s,"
                    "\"timestamp\":\"2022-11-21T06:02:00Z\"}]",
                    cases[i]);
        AUTO(fixture_done) struct fixture f;
        assert_int_equal(decode(&f, strbuf_span(&text), 5), 0);
        assert_int_equal(f.batch.row_count, 0);
        assert_string_equal(jobstats_decoder_bad(f.decoder, 0)->reason,
                            "read is not a count of 64 bits");
    }
}

/* Letters, digits, dot, dash and underscore, to the ends of their ranges. */
static void a_name_has_these_characters_and_no_others(void **state)
{
    (void)state;
    for (int c = 1; c < 128; c++) {
        if (c < ' ' || c == '"' || c == '\\')
            continue;
        bool is_good = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789_.-",
                              c);
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        strbuf_addf(&text,
                    "{\"format\":\"baro-jobstats-1\",\"targets\":[],"
                    "\"server\":\"a%c\"}",
                    c);
        AUTO(fixture_done) struct fixture f;
        if (decode(&f, strbuf_span(&text), SIZE_MAX) != (is_good ? 0 : -EBADMSG))
            fail_msg("a%c", c);
    }
}

/* An array among entries is passed over whole, with what looks like an entry in it. */
static void an_array_is_no_entry(void **state)
{
    (void)state;
    static const char *const cases[] = {
        HEAD "[1,{\"entry_id\":\"x\"}],{\"entry_id\":\"a\"}" TAIL,
        "[[1,{\"entry_id\":\"x\"}],{\"target\":\"s-OST0001\",\"entry_id\":\"a\","
        "\"timestamp\":\"2022-11-21T06:02:00Z\"}]",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(fixture_done) struct fixture f;
        assert_int_equal(decode(&f, span_of(cases[i]), 7), 0);
        assert_int_equal(f.batch.row_count, 1);
        assert_true(span_is(f.batch.rows[0].entry_id, "a"));
        assert_int_equal(jobstats_decoder_bad_count(f.decoder), 1);
        assert_string_equal(jobstats_decoder_bad(f.decoder, 0)->reason,
                            "not an object");
    }
}

static void a_bad_target_costs_its_entries_only(void **state)
{
    (void)state;
    static const struct {
        const char *members;
        const char *reason;
    } cases[] = {
        { "\"target\":\"scratch-OST0001\"", "no timestamp" },
        { "\"timestamp\":\"2022-11-21T06:02:00.000Z\"", "no target" },
        { "\"target\":\"scratch-OST0001\",\"timestamp\":\"yesterday\"", "timestamp" },
        { "\"target\":\"scratch-OST0001\",\"timestamp\":5", "a member" },
        { "\"target\":\"../x\",\"kind\":\"ost\"", "target is not a name" },
        { "\"target\":\"odd\"", "target is neither" },
        { "\"target\":\"scratch-OST0001\",\"kind\":\"mdt\"", "kind contradicts" },
        { "\"target\":\"scratch-OST0001\",\"kind\":\"mgt\"", "kind is neither" },
        { "\"target\":{\"a\":1}", "a member" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        strbuf_addf(&text,
                    HEAD "{\"entry_id\":\"a\"}]},"
                         "{\"entries\":[{\"entry_id\":\"b\"},{\"entry_id\":\"c\"}],%s},"
                         "{\"entries\":[{\"entry_id\":\"d\"}],\"target\":\"odd\","
                         "\"kind\":\"mdt\",\"timestamp\":\"2022-11-21T06:02:00Z\"}]}",
                    cases[i].members);
        AUTO(fixture_done) struct fixture f;
        int rc = decode(&f, strbuf_span(&text), SIZE_MAX);
        const struct jobstats_bad *bad = jobstats_decoder_bad(f.decoder, 1);
        bool is_right =
            rc == 0 && f.batch.row_count == 2 &&
            jobstats_decoder_bad_count(f.decoder) == 2 && bad->entry == 2 &&
            strncmp(bad->reason, cases[i].reason, strlen(cases[i].reason)) == 0 &&
            span_is(f.batch.rows[1].target, "odd") &&
            f.batch.rows[1].kind == TARGET_MDT;
        if (!is_right)
            fail_msg("%s: %d %s, %s", cases[i].members, rc, f.err.text, bad->reason);
    }
}

static void what_is_no_batch_is_refused_whole(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
    } cases[] = {
        { "", -EBADMSG },
        { "7", -EBADMSG },
        { "null", -EBADMSG },
        { "{}", -EBADMSG },
        { "[", -EBADMSG },
        { "{\"targets\":[]}", -EBADMSG },
        { "{\"format\":\"baro-jobstats-1\"}", -EBADMSG },
        { "{\"format\":\"baro-jobstats-2\",\"targets\":[]}", -EPROTONOSUPPORT },
        { "{\"format\":1,\"targets\":[]}", -EPROTONOSUPPORT },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":{}}", -EBADMSG },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":3}", -EBADMSG },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":[3]}", -EBADMSG },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":[[]]}", -EBADMSG },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":[],\"targets\":[]}", -EBADMSG },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":[{\"entries\":{}}]}", -EBADMSG },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":[{\"entries\":1}]}", -EBADMSG },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":[],\"sequence\":1}", -EBADMSG },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":[],\"agent\":\"x\"}", -EBADMSG },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":[],\"server\":\"a b\"}",
          -EBADMSG },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":[]} x", -EBADMSG },
        { ENTRY("\"x\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]"), -EBADMSG },
        { ENTRY("\"x\":[[[[[[[[[[[[1]]]]]]]]]]]]"), -EBADMSG },
        { ENTRY("\"x\":[[[[[[[[[[[1]]]]]]]]]]]"), 0 },
        { "{\"format\":\"baro-jobstats-1\",\"targets\":[]}", 0 },
        { "[]", 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(fixture_done) struct fixture f;
        int rc = decode(&f, span_of(cases[i].text), SIZE_MAX);
        if (rc != cases[i].rc || (rc < 0 && !f.err.text[0]))
            fail_msg("%s: got %d '%s'", cases[i].text, rc, f.err.text);
    }
}

static void unknown_keys_are_passed_over_and_counted(void **state)
{
    (void)state;
    static const char text[] =
        "{\"new\":{\"targets\":[1]},\"list\":[{\"target\":\"x\"}],\"note\":\"a "
        "word\",\"rate\":1.5,\"is\":true,\"was\":null,"
        "\"format\":\"baro-jobstats-1\",\"targets\":["
        "{\"target\":\"s-MDT0000\",\"hint\":[{\"entries\":[]}],"
        "\"timestamp\":\"2022-11-21T06:02:00.000Z\",\"entries\":["
        "{\"entry_id\":\"a\",\"label\":{\"entry_id\":5},\"ops\":{"
        "\"open\":{\"samples\":3,\"unit\":\"reqs\",\"p99\":{\"max\":[]}}}}]}]}";
    AUTO(fixture_done) struct fixture f;
    assert_int_equal(decode(&f, SPAN(text), 1), 0);
    assert_int_equal(jobstats_decoder_unknown_count(f.decoder), 9);
    assert_int_equal(f.batch.row_count, 1);
    assert_true(f.batch.rows[0].samples[OP_OPEN] == 3);
    assert_true(f.batch.rows[0].kind == TARGET_MDT && f.batch.rows[0].more.size == 0);
}

static void too_many_entries_or_too_much_memory_is_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, HEAD);
    for (int i = 0; i < JOBSTATS_ENTRIES_MAX; i++)
        strbuf_adds(&text, "{\"entry_id\":\"a\"},");
    size_t full = text.size;
    strbuf_adds(&text, "{\"entry_id\":\"a\"}" TAIL);
    AUTO(fixture_done) struct fixture f;
    assert_int_equal(decode(&f, strbuf_span(&text), SIZE_MAX), -EMSGSIZE);
    text.size = full - 1;
    strbuf_adds(&text, TAIL);
    AUTO(fixture_done) struct fixture g;
    assert_int_equal(decode(&g, strbuf_span(&text), SIZE_MAX), 0);
    assert_int_equal(g.batch.row_count, JOBSTATS_ENTRIES_MAX);
    /* What is no entry counts as one. */
    text.size = full - 1;
    strbuf_adds(&text, ",7" TAIL);
    AUTO(fixture_done) struct fixture h;
    assert_int_equal(decode(&h, strbuf_span(&text), SIZE_MAX), -EMSGSIZE);
    text.size = full - 1;
    strbuf_adds(&text, TAIL);

    AUTO(jobbatch_done) struct jobbatch small;
    jobbatch_init(&small, 100000);
    struct jobstats_decoder *d = NULL;
    assert_int_equal(jobstats_decoder_new(&small, &d), 0);
    assert_int_equal(jobstats_decoder_feed(d, text.data, text.size, NULL), -EMSGSIZE);
    jobstats_decoder_free(d);
}

/* ---- there and back ---- */

static uint64_t random_state = 42;

static uint64_t draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static uint64_t draw_counter(void)
{
    return draw() >> (draw() % 64);
}

/* Any bytes, or an ordinary identifier. */
static struct span draw_id(char *out)
{
    size_t size = draw() % 32;
    if (draw() % 4)
        return (struct span){
            out, (size_t)snprintf(out, 40, "%u:%u:n%u", (unsigned)(draw() % 100000),
                                  (unsigned)(draw() % 1000), (unsigned)(draw() % 100))
        };
    for (size_t i = 0; i < size; i++)
        out[i] = (char)draw();
    return (struct span){ out, size };
}

static struct op_stat draw_op(void)
{
    static const char *const odd[] = { "fallocate", "a \"quoted\" one", "naïve" };
    static const char *const hists[] = { "", "32K: 1, 1M: 5", "{\"}\\" };
    unsigned name = (unsigned)(draw() % (OP_COUNT + 3));
    enum op_unit unit = (enum op_unit)(draw() % 5);
    return (struct op_stat){
        .name =
            span_of(name < OP_COUNT ? op_name((enum op)name) : odd[name - OP_COUNT]),
        .unit = unit,
        .unit_text =
            span_of(unit == OP_UNIT_OTHER ? "pages/\xc2\xb5s" : op_unit_name(unit)),
        .has = (unsigned)(draw() % 64) | (draw() % 8 ? (unsigned)OP_HAS_SAMPLES : 0U),
        .samples = draw() % 3 ? draw_counter() : 0,
        .min = draw_counter(),
        .max = draw_counter(),
        .sum = draw_counter(),
        .sumsq = draw_counter(),
        .hist = span_of(hists[draw() % 3]),
    };
}

static void draw_entry(struct entry *entry, char *id, struct observation *seen)
{
    static const char *const targets[] = { "scratch-OST0001", "scratch-MDT0000" };
    unsigned target = (unsigned)(draw() % 2);
    *entry = (struct entry){
        .target = span_of(targets[target]),
        .kind = target ? TARGET_MDT : TARGET_OST,
        .id = draw_id(id),
        .flags = draw() % 2 ? (unsigned)ENTRY_ID_QUOTED : 0U,
        .snapshot_ns = (int64_t)(draw() >> 2),
        .start_ns = draw() % 2 ? T_NONE : (int64_t)(draw() >> 2),
        .op_count = draw() % 20,
    };
    for (size_t i = 0; i < entry->op_count; i++)
        entry->ops[i] = draw_op();
    *seen = (struct observation){
        .t_ms = INT64_C(1669010520000) + (int64_t)(draw() % 3),
        .since_ms = draw() % 2 ? T_NONE : (int64_t)(draw() >> 24),
        .previous_ms = draw() % 2 ? T_NONE : (int64_t)(draw() >> 24),
        .reset = draw() % 2,
    };
}

/* What the receiver should make of entry, made without JSON. */
static void expect_row(struct jobbatch *batch, const struct entry *entry,
                       const struct observation *seen)
{
    AUTO(strbuf_done) struct strbuf more = STRBUF_INIT;
    struct jobrow *row = jobbatch_add_row(batch);
    assert_non_null(row);
    row->target = entry->target;
    row->kind = entry->kind;
    row->entry_id =
        (struct span){ arena_dup(&batch->arena, entry->id), entry->id.size };
    row->id_exact = entry->flags & ENTRY_ID_QUOTED;
    row->t_ms = seen->t_ms;
    row->since_ms = seen->since_ms;
    row->previous_ms = seen->previous_ms;
    row->reset = seen->reset ? RESET_YES : RESET_NO;
    row->snapshot_ns = entry->snapshot_ns;
    row->start_ns = entry->start_ns;
    for (size_t i = 0; i < entry->op_count; i++)
        jobrow_add_op(row, &entry->ops[i], &more);
    assert_int_equal(jobrow_set_more(row, &more, &batch->arena), 0);
}

static bool is_same_row(const struct jobrow *a, const struct jobrow *b)
{
    return span_eq(a->target, b->target) && a->kind == b->kind &&
           span_eq(a->entry_id, b->entry_id) && a->id_exact == b->id_exact &&
           a->t_ms == b->t_ms && a->since_ms == b->since_ms &&
           a->previous_ms == b->previous_ms && a->reset == b->reset &&
           a->snapshot_ns == b->snapshot_ns && a->start_ns == b->start_ns &&
           a->has_samples == b->has_samples && a->has_sum == b->has_sum &&
           jobrow_same_counters(a, b);
}

/* A decoded batch, encoded from its rows. */
static void rows_come_back_as_they_were(const struct jobbatch *batch)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(arena_done) struct arena scratch;
    arena_init(&scratch, 0);
    struct jobstats_encoder encoder;
    jobstats_encode_start(&encoder, &text, &batch->agent, batch->sequence,
                          batch->server);
    for (size_t i = 0; i < batch->row_count; i++)
        assert_int_equal(jobstats_encode_row(&encoder, &batch->rows[i], &scratch), 0);
    assert_int_equal(jobstats_encode_finish(&encoder), 0);
    AUTO(fixture_done) struct fixture again;
    int rc = decode(&again, strbuf_span(&text), SIZE_MAX);
    if (rc < 0 || again.batch.row_count != batch->row_count)
        fail_msg("%d %s, %s", rc, again.err.text,
                 jobstats_decoder_bad(again.decoder, 0)->reason);
    for (size_t i = 0; i < batch->row_count; i++)
        if (!is_same_row(&again.batch.rows[i], &batch->rows[i]))
            fail_msg("row %zu: " SPAN_FMT "\n" SPAN_FMT "\n%s", i,
                     SPAN_ARG(again.batch.rows[i].more), SPAN_ARG(batch->rows[i].more),
                     strbuf_text(&text));
}

static void random_entries_come_back_as_they_were(void **state)
{
    (void)state;
    static struct entry entry;
    static const struct uuid agent = { { 1, 2, 3 } };
    for (int round = 0; round < 60; round++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        AUTO(jobbatch_done) struct jobbatch want;
        jobbatch_init(&want, 0);
        struct jobstats_encoder encoder;
        jobstats_encode_start(&encoder, &text, &agent, draw(), SPAN("oss-1.x"));
        size_t count = draw() % 60;
        for (size_t i = 0; i < count; i++) {
            char id[40];
            struct observation seen;
            draw_entry(&entry, id, &seen);
            jobstats_encode_entry(&encoder, &entry, &seen);
            expect_row(&want, &entry, &seen);
        }
        assert_int_equal(jobstats_encode_finish(&encoder), 0);
        AUTO(fixture_done) struct fixture f;
        int rc = decode(&f, strbuf_span(&text), 1 + draw() % 100);
        if (rc < 0 || f.batch.row_count != count)
            fail_msg("round %d: %d %s, %s", round, rc, f.err.text,
                     jobstats_decoder_bad(f.decoder, 0)->reason);
        for (size_t i = 0; i < count; i++)
            if (!is_same_row(&f.batch.rows[i], &want.rows[i]))
                fail_msg("round %d, row %zu:\n%s", round, i, strbuf_text(&text));
        rows_come_back_as_they_were(&f.batch);
    }
}

static void a_zero_record_has_every_operation_at_zero(void **state)
{
    (void)state;
    static struct entry entry;
    entry = (struct entry){
        .target = SPAN("scratch-OST0001"),
        .kind = TARGET_OST,
        .id = SPAN("a.0"),
        .snapshot_ns = 5,
        .start_ns = INT64_C(1669009000987654321),
        .op_count = 2,
        .ops = { { .name = SPAN("write_bytes"),
                   .unit = OP_UNIT_BYTES,
                   .has = 31,
                   .samples = 9,
                   .sum = 8,
                   .max = 7 },
                 { .name = SPAN("punch"),
                   .unit = OP_UNIT_REQS,
                   .has = OP_HAS_SAMPLES,
                   .samples = 3 } },
    };
    struct observation seen = { .t_ms = INT64_C(1669009000987),
                                .since_ms = T_NONE,
                                .previous_ms = T_NONE,
                                .reset = true,
                                .is_zero = true };
    static const struct uuid agent = { { 0 } };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct jobstats_encoder encoder;
    jobstats_encode_start(&encoder, &text, &agent, 1, SPAN("oss01"));
    jobstats_encode_entry(&encoder, &entry, &seen);
    assert_int_equal(jobstats_encode_finish(&encoder), 0);
    AUTO(fixture_done) struct fixture f;
    assert_int_equal(decode(&f, strbuf_span(&text), SIZE_MAX), 0);
    assert_int_equal(f.batch.row_count, 1);
    const struct jobrow *row = &f.batch.rows[0];
    assert_true(row->snapshot_ns == T_NONE && row->start_ns == entry.start_ns);
    assert_true(row->t_ms == seen.t_ms && row->more.size == 0);
    assert_true(row->has_samples ==
                (UINT64_C(1) << OP_WRITE_BYTES | UINT64_C(1) << OP_PUNCH));
    assert_true(row->has_sum == UINT64_C(1) << OP_WRITE_BYTES);
    for (int i = 0; i < OP_COUNT; i++)
        assert_true(row->samples[i] == 0 && row->sum[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_documented_example_is_understood),
        cmocka_unit_test(the_flat_form_of_the_proposal_is_understood),
        cmocka_unit_test(a_bad_entry_costs_itself_only),
        cmocka_unit_test(limits_are_held_to_the_byte),
        cmocka_unit_test(an_escaped_entry_id_has_its_limit_in_bytes),
        cmocka_unit_test(an_entry_has_so_many_operations_and_so_much_beside_them),
        cmocka_unit_test(names_have_their_limits),
        cmocka_unit_test(a_flat_count_that_is_none_costs_its_entry),
        cmocka_unit_test(a_name_has_these_characters_and_no_others),
        cmocka_unit_test(an_array_is_no_entry),
        cmocka_unit_test(a_bad_target_costs_its_entries_only),
        cmocka_unit_test(what_is_no_batch_is_refused_whole),
        cmocka_unit_test(unknown_keys_are_passed_over_and_counted),
        cmocka_unit_test(too_many_entries_or_too_much_memory_is_refused),
        cmocka_unit_test(random_entries_come_back_as_they_were),
        cmocka_unit_test(a_zero_record_has_every_operation_at_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
