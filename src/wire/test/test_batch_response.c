/* SPDX-License-Identifier: Apache-2.0 */
/* test_batch_response - what barod says of a batch: there and back, and what is none.
 */
#include "base/span.h"
#include "base/test/testing.h"
#include "wire/batch_response.h"

static void what_is_printed_is_parsed(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct batch_response response = {
        .accepted = UINT64_MAX,
        .duplicate = 2,
        .refused = 3,
        .replayed = true,
        .error_count = 2,
        .errors = { { 17, "sum: \"-1\" is no count" }, { UINT64_MAX, "" } },
    };
    struct batch_response back;
    batch_response_print(&response, &text);
    assert_string_equal(
        strbuf_text(&text),
        "{\"accepted\":18446744073709551615,\"duplicate\":2,\"refused\":3,"
        "\"replayed\":true,\"errors\":["
        "{\"entry\":17,\"reason\":\"sum: \\\"-1\\\" is no count\"},"
        "{\"entry\":18446744073709551615,\"reason\":\"\"}]}");
    assert_int_equal(batch_response_parse(strbuf_span(&text), &back, NULL), 0);
    assert_memory_equal(&back, &response, sizeof back);
}

struct response_case {
    const char *name, *text;
    int rc;
    uint64_t accepted, duplicate, refused;
    bool replayed;
    size_t error_count;
};

static const struct response_case response_cases[] = {
    { "the least", "{\"accepted\":0}", 0, 0, 0, 0, false, 0 },
    { "members in another order, blanks",
      " { \"refused\" : 3 , \"replayed\" : false , \"accepted\" : 1 } \n", 0, 1, 0, 3,
      false, 0 },
    { "members of a later version",
      "{\"accepted\":1,\"new\":{\"accepted\":7,\"errors\":[{\"entry\":1}]},"
      "\"list\":[[{\"entry\":2}],9],\"duplicate\":4}",
      0, 1, 4, 0, false, 0 },
    { "an error is named once",
      "{\"accepted\":1,\"errors\":[{\"reason\":\"x\",\"entry\":3,\"more\":[1]}]}", 0, 1,
      0, 0, false, 1 },
    { "an object within an error is no error",
      "{\"accepted\":1,\"errors\":[{\"entry\":3,\"more\":{\"entry\":5}}]}", 0, 1, 0, 0,
      false, 1 },
    { "a count within an error is no count of the batch",
      "{\"accepted\":1,\"errors\":[{\"accepted\":9,\"refused\":9}],\"refused\":2}", 0,
      1, 0, 2, false, 1 },
    { "replayed is no flag", "{\"accepted\":1,\"replayed\":1}", 0, 1, 0, 0, false, 0 },
    { "no accepted", "{\"duplicate\":1,\"refused\":0}", -EBADMSG, 0, 0, 0, false, 0 },
    { "accepted in a text", "{\"say\":\"\\\"accepted\\\":1\"}", -EBADMSG, 0, 0, 0,
      false, 0 },
    { "accepted is deeper", "{\"a\":{\"accepted\":1}}", -EBADMSG, 0, 0, 0, false, 0 },
    { "accepted is a text", "{\"accepted\":\"1\"}", -EBADMSG, 0, 0, 0, false, 0 },
    { "accepted is null", "{\"accepted\":null}", -EBADMSG, 0, 0, 0, false, 0 },
    { "accepted is an array", "{\"accepted\":[1]}", -EBADMSG, 0, 0, 0, false, 0 },
    { "less than none", "{\"accepted\":-1}", -EBADMSG, 0, 0, 0, false, 0 },
    { "a fraction", "{\"accepted\":1.5}", -EBADMSG, 0, 0, 0, false, 0 },
    { "65 bits", "{\"accepted\":18446744073709551616}", -EBADMSG, 0, 0, 0, false, 0 },
    { "another count is none", "{\"accepted\":1,\"refused\":true}", -EBADMSG, 0, 0, 0,
      false, 0 },
    { "an array of responses", "[{\"accepted\":1}]", -EBADMSG, 0, 0, 0, false, 0 },
    { "a page of a proxy", "<html>{\"accepted\":1}</html>", -EBADMSG, 0, 0, 0, false,
      0 },
    { "broken off", "{\"accepted\":1", -EBADMSG, 0, 0, 0, false, 0 },
    { "nothing", "", -EBADMSG, 0, 0, 0, false, 0 },
};

static void each_text_is_a_response_or_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(response_cases); i++) {
        const struct response_case *c = &response_cases[i];
        struct batch_response r = { .accepted = 4711 };
        struct err err = { 0 };
        int rc = batch_response_parse(span_of(c->text), &r, &err);
        if (rc != c->rc)
            fail_msg("%s: %d (%s)", c->name, rc, err.text);
        if (rc < 0) {
            assert_int_equal(r.accepted, 4711); /* untouched */
            assert_true(err.text[0]);
            continue;
        }
        if (r.accepted != c->accepted || r.duplicate != c->duplicate ||
            r.refused != c->refused || r.replayed != c->replayed ||
            r.error_count != c->error_count)
            fail_msg("%s", c->name);
    }
}

static void ten_errors_are_named_and_their_reasons_cut(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct batch_response r;
    strbuf_adds(&text, "{\"errors\":[");
    for (unsigned i = 0; i < 15; i++) {
        strbuf_addf(&text, "%s{\"entry\":%u,\"reason\":\"", i ? "," : "", i);
        for (unsigned k = 0; k < 200; k++)
            strbuf_addc(&text, (char)('a' + (char)i));
        strbuf_adds(&text, "\"}");
    }
    strbuf_adds(&text, "],\"accepted\":1}");
    assert_int_equal(batch_response_parse(strbuf_span(&text), &r, NULL), 0);
    assert_int_equal(r.error_count, 10);
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(r.errors[i].entry, i);
        assert_int_equal(r.errors[i].reason[0], 'a' + (int)i);
        assert_int_equal(strlen(r.errors[i].reason), sizeof r.errors[i].reason - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_parsed),
        cmocka_unit_test(each_text_is_a_response_or_none),
        cmocka_unit_test(ten_errors_are_named_and_their_reasons_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
