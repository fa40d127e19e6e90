/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan - which hours of a window are read as cells, and which as rows. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/hours/plan.h"

#define HOUR_MS ROLLUP_HOUR_MS
#define H(n) (T0_MS + (n)*HOUR_MS)
#define T0_MS INT64_C(1669010400000) /* a whole hour */

#define HOURS_MAX 80

/* The hours in words: "0-4 8" is 0, 1, 2, 3, 4 and 8. */
static size_t hours_of_words(const char *words, int64_t *ret)
{
    struct span rest = span_of(words), run, first;
    size_t count = 0;
    while (rest.size > 0) {
        uint64_t from = 0, to = 0;
        (void)span_cut(&rest, ' ', &run);
        bool is_run = span_cut(&run, '-', &first);
        assert_int_equal(number_parse_u64(first, &from), 0);
        assert_int_equal(number_parse_u64(is_run ? run : first, &to), 0);
        for (uint64_t h = from; h <= to; h++)
            ret[count++] = H((int64_t)h);
    }
    return count;
}

static void part_print(const struct plan_part *part, struct strbuf *out)
{
    static const char *const names[] = { "rows", "cells", "long_cells", "long_rows" };
    strbuf_addf(out, "%s%s ", out->size ? ", " : "", names[part->read]);
    strbuf_addf(out, "%g-", (double)(part->from_ms - T0_MS) / (double)HOUR_MS);
    if (part->to_ms == PLAN_END_MS)
        strbuf_adds(out, "end");
    else
        strbuf_addf(out, "%g", (double)(part->to_ms - T0_MS) / (double)HOUR_MS);
}

/* Hours of the window are from .. to; 50 hours behind it rows are read, whatever they
 * say of themselves. */
static void each_window_has_its_plan(void **state)
{
    static const struct {
        const char *name, *clean;
        double from, to;
        int64_t lookback_ms;
        const char *want;
    } cases[] = {
        { "a short window is rows", "0-9", 1, 2.5, 0,
          "rows 1-3, long_cells 3-4, long_cells 4-10, rows 10-52.5, long_rows "
          "52.5-end" },
        { "no hour is clean", "", 0, 10, 0, "rows 0-60, long_rows 60-end" },
        { "all hours are clean", "0-9", 0, 10, 0,
          "cells 0-10, rows 10-60, long_rows 60-end" },
        { "edges within hours are rows", "0-9", 0.5, 9.5, 0,
          "rows 0.5-1, cells 1-9, rows 9-59.5, long_rows 59.5-end" },
        { "too short a run is rows", "0-1 5-9", 0, 10, 0,
          "rows 0-5, cells 5-10, rows 10-60, long_rows 60-end" },
        { "three hours are a run", "0-2 5-9", 0, 10, 0,
          "cells 0-3, rows 3-5, cells 5-10, rows 10-60, long_rows 60-end" },
        { "the last hours are followed row by row", "0-9", 0, 10, HOUR_MS,
          "cells 0-7, rows 7-60, long_rows 60-end" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(plan_done) struct plan plan = { 0 };
        AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
        int64_t clean[HOURS_MAX];
        struct selection sel = {
            .from_ms = T0_MS + (int64_t)(cases[i].from * (double)HOUR_MS),
            .to_ms = T0_MS + (int64_t)(cases[i].to * (double)HOUR_MS),
            .lookback_ms = cases[i].lookback_ms,
        };
        struct accumulator accumulator = { .sel = &sel };
        struct accumulator *accumulators[] = { &accumulator };
        size_t count = hours_of_words(cases[i].clean, clean);
        assert_int_equal(plan_make(&sel, accumulators, 1, clean, count, &plan), 0);
        for (size_t p = 0; p < plan.count; p++)
            part_print(&plan.parts[p], &got);
        if (strcmp(strbuf_text(&got), cases[i].want) != 0)
            fail_msg("%s:\n%s\nnot\n%s", cases[i].name, strbuf_text(&got),
                     cases[i].want);
    }
}

/* An hour is a cell only where no accumulator has an edge of a step in it. */
static void every_accumulator_must_agree(void **state)
{
    AUTO(plan_done) struct plan plan = { 0 };
    int64_t clean[HOURS_MAX];
    struct selection whole = { .from_ms = H(0), .to_ms = H(10) };
    struct selection cut = { .from_ms = H(0), .to_ms = H(10), .step_ms = HOUR_MS / 2 };
    struct accumulator a = { .sel = &whole }, b = { .sel = &cut };
    struct accumulator *accumulators[] = { &a, &b };
    (void)state;
    size_t count = hours_of_words("0-9", clean);
    assert_int_equal(plan_make(&whole, accumulators, 2, clean, count, &plan), 0);
    for (size_t i = 0; i < plan.count; i++)
        assert_int_not_equal(plan.parts[i].read, PLAN_CELLS);
}

static void two_hours_are_long(void **state)
{
    struct selection sel = { .from_ms = H(0), .to_ms = H(2) };
    (void)state;
    assert_true(plan_is_long(&sel));
    sel.to_ms--;
    assert_false(plan_is_long(&sel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_window_has_its_plan),
        cmocka_unit_test(every_accumulator_must_agree),
        cmocka_unit_test(two_hours_are_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
