/* SPDX-License-Identifier: Apache-2.0 */
/* test_refusal - why rows are refused, and the form in which that is stored. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "records/refusal.h"

#define T_MS INT64_C(1795219200000)

static struct jobrow good_row(void)
{
    return (struct jobrow){ .fs = SPAN("scratch"),
                            .target = SPAN("scratch-OST0001"),
                            .kind = TARGET_OST,
                            .entry_id = SPAN("7:1000:n1"),
                            .server = SPAN("oss01"),
                            .t_ms = T_MS,
                            .since_ms = T_NONE,
                            .previous_ms = T_NONE };
}

static enum refusal check(const struct jobrow *row)
{
    return refusal_of_row(row, T_MS - 1000, T_MS + 1000);
}

static void times_are_accepted_up_to_both_ends(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t t_ms, since_ms, previous_ms;
        enum refusal want;
    } cases[] = {
        { "now", T_MS, T_NONE, T_NONE, REFUSAL_NONE },
        { "the oldest", T_MS - 1000, T_NONE, T_NONE, REFUSAL_NONE },
        { "older", T_MS - 1001, T_NONE, T_NONE, REFUSAL_OLD },
        { "the newest", T_MS + 1000, T_NONE, T_NONE, REFUSAL_NONE },
        { "newer", T_MS + 1001, T_NONE, T_NONE, REFUSAL_FUTURE },
        { "the least", INT64_MIN + 1, T_NONE, T_NONE, REFUSAL_OLD },
        { "the largest", INT64_MAX, T_NONE, T_NONE, REFUSAL_FUTURE },
        { "since at the same time", T_MS, T_MS, T_NONE, REFUSAL_NONE },
        { "since after it", T_MS, T_MS + 1, T_NONE, REFUSAL_BEFORE_SINCE },
        { "since before 1970", T_MS, -1, T_NONE, REFUSAL_BEFORE_SINCE },
        { "previous after it", T_MS, T_NONE, T_MS + 1, REFUSAL_BEFORE_SINCE },
        { "previous at 1970", T_MS, T_NONE, 0, REFUSAL_NONE },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct jobrow row = good_row();
        row.t_ms = cases[i].t_ms;
        row.since_ms = cases[i].since_ms;
        row.previous_ms = cases[i].previous_ms;
        if (check(&row) != cases[i].want)
            fail_msg("%s: %s", cases[i].name, refusal_text(check(&row)));
    }
    struct jobrow row = good_row();
    row.t_ms = -1;
    assert_int_equal(refusal_of_row(&row, INT64_MIN, T_MS), REFUSAL_OLD);
}

static void names_that_cannot_be_stored_are_refused(void **state)
{
    (void)state;
    static char long_text[65537];
    memset(long_text, 'x', sizeof long_text);
    struct jobrow rows[13];
    static const enum refusal want[COUNT_OF(rows)] = {
        REFUSAL_NONE,   REFUSAL_TARGET, REFUSAL_TARGET, REFUSAL_TARGET, REFUSAL_TARGET,
        REFUSAL_TARGET, REFUSAL_ENTRY,  REFUSAL_ENTRY,  REFUSAL_NONE,   REFUSAL_SERVER,
        REFUSAL_MORE,   REFUSAL_MORE,   REFUSAL_MORE,
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        rows[i] = good_row();
    rows[1].target = SPAN("");
    rows[2].target = SPAN("a:b"); /* two names would have one id */
    rows[3].target = (struct span){ long_text, TARGET_BYTES_MAX + 1 };
    rows[4].fs = SPAN(""); /* set where the row enters */
    rows[5].fs = SPAN("two words");
    rows[6].entry_id = SPAN("");
    rows[7].entry_id = (struct span){ long_text, ENTRY_ID_BYTES_MAX + 1 };
    rows[8].server = SPAN("");
    rows[9].server = SPAN("oss\n01");
    rows[10].more = (struct span){ long_text, sizeof long_text };
    rows[11].more = SPAN("\377");
    rows[12].more = (struct span){ "{\0}", 3 };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (check(&rows[i]) != want[i])
            fail_msg("row %zu: %s", i, refusal_text(check(&rows[i])));
}

static void every_reason_has_a_text(void **state)
{
    (void)state;
    for (int i = 0; i < _REFUSAL_COUNT; i++)
        assert_non_null(refusal_text((enum refusal)i));
    assert_string_equal(refusal_text((enum refusal)4711), refusal_text(REFUSAL_NONE));
}

static void stored_refusals_come_back(void **state)
{
    (void)state;
    static const struct records_refusal refusals[] = { { .row = 0 }, { .row = 9999 } };
    static const enum refusal reasons[] = { REFUSAL_OLD, REFUSAL_KIND };
    struct records_refusal back[RECORDS_REFUSALS_MAX];
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    refusals_print(&text, refusals, reasons, COUNT_OF(refusals));
    assert_string_equal(strbuf_text(&text), "0:1,9999:8");
    assert_int_equal(refusals_parse(strbuf_span(&text), back, COUNT_OF(back)), 2);
    assert_int_equal(back[1].row, 9999);
    assert_string_equal(back[1].reason, refusal_text(REFUSAL_KIND));
}

static void damaged_refusals_cost_what_follows(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t want;
    } cases[] = {
        { "", 0 },
        { "5:1", 1 },
        { "5:1,", 1 },
        { "5", 0 },
        { "5:", 0 },
        { ":1", 0 },
        { "5:1,x:2,6:1", 1 },
        { "5:9999", 1 },
        { "-1:1", 0 },
        { "1:1,2:1,3:1,4:1", 3 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct records_refusal back[3] = { 0 };
        size_t count = refusals_parse(span_of(cases[i].text), back, COUNT_OF(back));
        if (count != cases[i].want)
            fail_msg("'%s': %zu", cases[i].text, count);
        for (size_t k = 0; k < count; k++)
            assert_non_null(back[k].reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_accepted_up_to_both_ends),
        cmocka_unit_test(names_that_cannot_be_stored_are_refused),
        cmocka_unit_test(every_reason_has_a_text),
        cmocka_unit_test(stored_refusals_come_back),
        cmocka_unit_test(damaged_refusals_cost_what_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
