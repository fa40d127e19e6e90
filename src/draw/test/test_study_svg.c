/* SPDX-License-Identifier: Apache-2.0 */
/* test_study_svg - the pictures of a study: what they show, and what they leave out. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "draw/study_svg.h"
#include "draw/timeline_svg.h"

#include <math.h>
#include <string.h>

#define DAY_NS (86400 * NS_PER_S)
#define BEGIN_NS (INT64_C(1500000000) * NS_PER_S)

static size_t count_of(const struct strbuf *out, const char *part)
{
    size_t count = 0;
    for (const char *at = strbuf_text(out); (at = strstr(at, part)); at++)
        count++;
    return count;
}

struct wanted {
    const char *part;
    size_t count;
};

static void expect_parts(const struct strbuf *out, const struct wanted *wanted,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (count_of(out, wanted[i].part) != wanted[i].count)
            fail_msg("'%s' is there %zu times, not %zu:\n%s", wanted[i].part,
                     count_of(out, wanted[i].part), wanted[i].count, strbuf_text(out));
    /* It is one whole picture. */
    assert_int_equal(count_of(out, "<svg "), 1);
    assert_int_equal(count_of(out, "</svg>"), 1);
    assert_int_equal(count_of(out, "nan"), 0);
    assert_int_equal(count_of(out, "inf"), 0);
}

/* ---- which groups are shown ---- */

static void the_groups_with_the_most_runs_are_shown_in_their_order(void **state)
{
    enum { GROUPS = STUDY_GROUPS_SHOWN + 3 };
    static char names[GROUPS][8];
    struct run_set sets[GROUPS + 1];
    struct runs runs = { .sets = sets, .set_count = GROUPS + 1 };
    const struct study study = { .runs = &runs };
    struct study_groups groups;
    (void)state;
    /* The first has two sets; of the others the 5th, 6th and 7th are the least. */
    sets[0] = (struct run_set){ .name = "g00 a", .group = names[0], .count = 1 };
    for (size_t i = 0; i < GROUPS; i++) {
        (void)snprintf(names[i], sizeof names[i], "g%02zu", i);
        sets[i + 1] = (struct run_set){ .name = names[i],
                                        .group = names[i],
                                        .count = i == 0             ? 99
                                                 : i >= 5 && i <= 7 ? i
                                                                    : 50 + i };
    }
    study_groups_shown(&study, &groups);
    assert_int_equal(groups.total, GROUPS);
    assert_int_equal(groups.count, STUDY_GROUPS_SHOWN);
    for (size_t i = 0; i < groups.count; i++) {
        size_t place = i < 5 ? i : i + 3;
        assert_int_equal(groups.places[i], place);
        assert_string_equal(groups.names[i], names[place]);
    }
    /* A later group with as few runs as the least one does not put it out. */
    sets[GROUPS].count = 7;
    runs.set_count = GROUPS + 1;
    study_groups_shown(&study, &groups);
    assert_string_equal(groups.names[5], names[7]);
    assert_string_equal(groups.names[groups.count - 1], names[GROUPS - 2]);
    runs.set_count = 0;
    study_groups_shown(&study, &groups);
    assert_int_equal(groups.count + groups.total, 0);
}

/* ---- quantiles ---- */

static struct run_set three_sets[] = {
    { .name = "hacc read", .group = "hacc", .count = 12 },
    { .name = "hacc write", .group = "hacc", .count = 7 },
    { .name = "ior<x>", .group = "ior<x>", .count = 3 },
};

static void a_set_is_a_box_below_the_name_of_its_group(void **state)
{
    static const struct wanted wanted[] = {
        { ">hacc</text>", 1 },
        { ">read</text>", 1 },
        { ">write</text>", 1 },
        { "ior&lt;x&gt;", 1 },
        { "ior<x>", 0 },
        { "n = 12<", 1 },
        { "n = 7<", 1 },
        { "n = 3<", 1 },
        { "fill='#9cbbdc'", 2 },
        { "stroke-width='3'", 2 },
        { "font-weight='bold'", 2 },
        { "hacc read", 0 },
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct study_set sets[] = {
        { &three_sets[0], 0.1, 0.2, 0.3, 0.4, 0.5, 0 },
        { &three_sets[1], NAN, NAN, NAN, NAN, NAN, 0 }, /* no box */
        { &three_sets[2], 0.2, 0.4, 0.6, 0.8, 1.0, 0 },
    };
    const struct runs runs = { .sets = three_sets, .set_count = COUNT_OF(three_sets) };
    const struct study study = { .runs = &runs, .sets = sets };
    (void)state;
    study_quantiles_svg(&study, &out);
    expect_parts(&out, wanted, COUNT_OF(wanted));
}

static void more_sets_than_a_picture_holds_are_left_out(void **state)
{
    enum { SETS = STUDY_SETS_SHOWN + 5 };
    static char names[SETS][16];
    static struct run_set run_sets[SETS];
    static struct study_set sets[SETS];
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct runs runs = { .sets = run_sets, .set_count = SETS };
    const struct study study = { .runs = &runs, .sets = sets };
    const struct wanted wanted[] = { { "n = 4<", STUDY_SETS_SHOWN },
                                     { ">s000<", 1 },
                                     { ">s119<", 1 },
                                     { ">s120<", 0 } };
    (void)state;
    for (size_t i = 0; i < SETS; i++) {
        (void)snprintf(names[i], sizeof names[i], "g s%03zu", i);
        run_sets[i] = (struct run_set){ .name = names[i], .group = "g", .count = 4 };
        sets[i] = (struct study_set){ &run_sets[i], 0, 0, 0, 1, 1, 0 };
    }
    study_quantiles_svg(&study, &out);
    expect_parts(&out, wanted, COUNT_OF(wanted));
}

static void a_study_without_a_run_is_a_picture_too(void **state)
{
    static const struct mapping mapping = { .p_contributor = 0.05, .p_region = 0.01 };
    const struct runs runs = { .set_count = 0 };
    const struct study study = { .mapping = &mapping, .runs = &runs };
    static const struct wanted wanted[] = { { "n = ", 0 } };
    void (*const draw[])(const struct study *, struct strbuf *) = {
        study_quantiles_svg, study_contributors_svg, study_correlations_svg
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(draw); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        draw[i](&study, &out);
        expect_parts(&out, wanted, COUNT_OF(wanted));
    }
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(study_timeline_svg(&study, NULL, &out), 0);
    assert_int_equal(out.size, 0);
}

/* ---- contributors and correlations ---- */

static void contributors_are_sorted_and_those_of_chance_are_hollow(void **state)
{
    static const struct mapping mapping = { .p_contributor = 0.1 };
    static const struct wanted wanted[] = {
        { "50.0 %: 5 of 10, p = 0.001<", 1 },
        { "10.0 %: 1 of 10, p = 0.65<", 1 },
        { "0.0 %: 0 of 4, p = 1<", 2 },
        { "fill='#2C69A9'", 1 },
        { "stroke-dasharray='3 2'", 3 },
        { "a &amp; b", 1 },
        { "never seen", 0 },
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    static const struct runs runs;
    static const struct study study = {
        .mapping = &mapping,
        .runs = &runs,
        .contributors = { { "c", "chance", 10, 1, 0.1, 0.65 },
                          { "n", "never seen", 0, 0, NAN, NAN },
                          { "z", "zero", 4, 0, 0, 1 },
                          { "a", "a & b", 10, 5, 0.5, 0.001 },
                          { "y", "zero too", 4, 0, 0, 1 } },
        .contributor_count = 5,
    };
    (void)state;
    study_contributors_svg(&study, &out);
    expect_parts(&out, wanted, COUNT_OF(wanted));
    const char *text = strbuf_text(&out);
    assert_true(strstr(text, "a &amp; b") < strstr(text, ">chance<"));
    assert_true(strstr(text, ">chance<") < strstr(text, ">zero<"));
    assert_true(strstr(text, ">zero<") < strstr(text, ">zero too<"));
}

static void a_correlation_has_its_sign_and_a_dot_where_it_counts(void **state)
{
    static const struct mapping mapping = {
        .p_region = 0.01,
        .measures = { .items = { { .label = "load" }, { .label = "free space" } },
                      .count = 2 }
    };
    static struct run_set sets[] = {
        { .name = "g", .group = "g", .count = 3 },
        { .name = "gr", .group = "\xc3\xa4 name longer than a column", .count = 3 },
    };
    static struct study_correlation found[] = {
        { "all", "load", { 9, 0.5, 0.001 } },
        { "all", "free", { 9, -0.5, 0.009 } },
        { "g", "load", { 9, 0.25, 0.01 } }, /* p is not below the limit */
        { "g", "free", { 2, NAN, NAN } },
        { "\xc3\xa4 name longer than a column", "load", { 9, 0, 0.9 } },
        { "\xc3\xa4 name longer than a column", "free", { 9, -1, 0 } },
    };
    static const struct wanted wanted[] = {
        { "<circle ", 3 },         { "fill='#2C69A9' stroke", 1 },
        { "stroke='#c2410c'", 2 }, { ">+0.50<", 1 },
        { ">-0.50<", 1 },          { ">+0.25<", 1 },
        { ">-1.00<", 1 },          { ">+0.00<", 1 },
        { ">-</text>", 1 },        { ">load<", 1 },
        { ">free space<", 1 },     { ">\xc3\xa4 name longer th..<", 1 },
        { ">g</text>", 1 },        { "where p &lt; 0.01;", 1 },
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct runs runs = { .sets = sets, .set_count = COUNT_OF(sets) };
    const struct study study = { .mapping = &mapping,
                                 .runs = &runs,
                                 .correlations = found,
                                 .correlation_count = COUNT_OF(found) };
    (void)state;
    study_correlations_svg(&study, &out);
    expect_parts(&out, wanted, COUNT_OF(wanted));
}

/* ---- the timeline ---- */

static const struct mapping timeline_mapping = { .short_ns = 14 * DAY_NS,
                                                 .long_ns = 49 * DAY_NS };

/* A run every step_ns in one set; every other half of 60 of them is slow. */
static struct run *runs_make(size_t count, int64_t step_ns)
{
    struct run *run = calloc(count, sizeof *run);
    assert_non_null(run);
    for (size_t i = 0; i < count; i++) {
        double fraction = (i / 60) % 2 ? 0.25 : 0.75;
        run[i] = (struct run){ .t_ns = BEGIN_NS + (int64_t)i * step_ns,
                               .clock_ns = BEGIN_NS + (int64_t)i * step_ns,
                               .raw = fraction,
                               .fraction = fraction,
                               .best = 1,
                               .id = "" };
    }
    return run;
}

static void timeline_draw(struct run *run, size_t count, const char *group,
                          struct strbuf *out)
{
    struct run_set set = {
        .name = "ior", .group = "ior", .best = 1, .first = 0, .count = count
    };
    const struct runs runs = {
        .runs = run, .count = count, .sets = &set, .set_count = 1
    };
    const struct study study = { .mapping = &timeline_mapping, .runs = &runs };
    assert_int_equal(study_timeline_svg(&study, group, out), 0);
}

static void a_timeline_has_runs_averages_and_hatched_regions(void **state)
{
    static const struct wanted wanted[] = {
        { ">ior: 240 runs, ", 2 }, /* the title, and what is read aloud */
        { "stroke-width='5'", 1 },       { "h0", 240 },
        { "average of 14 days", 1 },     { "average of 49 days", 1 },
        { "stroke-dasharray='7 4'", 2 }, { "fraction of peak", 1 },
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct run *run = runs_make(240, DAY_NS);
    (void)state;
    timeline_draw(run, 240, "ior", &out);
    expect_parts(&out, wanted, COUNT_OF(wanted));
    /* One in the legend. */
    assert_true(count_of(&out, "url(#hatch)") >= 3);
    assert_true(count_of(&out, "stroke-dasharray='2 3'") >
                count_of(&out, "url(#hatch)"));
    free(run);
}

static void one_run_is_a_timeline_and_another_group_is_none(void **state)
{
    static const struct wanted wanted[] = { { ">all runs: 1 runs, ", 2 }, { "h0", 1 } };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct run *run = runs_make(1, DAY_NS);
    (void)state;
    timeline_draw(run, 1, "hacc", &out);
    assert_int_equal(out.size, 0);
    timeline_draw(run, 1, NULL, &out);
    expect_parts(&out, wanted, COUNT_OF(wanted));
    free(run);
}

/* The 120 slow runs of 240 are in two regions at least; a month in the midst of the
 * first has none. */
static void a_month_without_runs_is_not_hatched(void **state)
{
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct run *run = runs_make(240, DAY_NS);
    (void)state;
    timeline_draw(run, 240, NULL, &whole);
    for (size_t i = 90; i < 240; i++)
        run[i].t_ns = run[i].clock_ns += 30 * DAY_NS;
    timeline_draw(run, 240, NULL, &out);
    /* On both sides of it, where it was one. */
    assert_int_equal(count_of(&out, "url(#hatch)"),
                     count_of(&whole, "url(#hatch)") + 1);
    free(run);
}

static void a_line_ends_where_nothing_ran_for_long(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    struct run *run = runs_make(100, DAY_NS);
    (void)state;
    timeline_draw(run, 100, NULL, &whole);
    for (size_t i = 50; i < 100; i++)
        run[i].t_ns = run[i].clock_ns += 15 * DAY_NS;
    timeline_draw(run, 100, NULL, &out);
    /* Each of the two lines begins once more. */
    assert_int_equal(count_of(&out, "M") - count_of(&whole, "M"), 2);
    free(run);
}

static void of_very_many_runs_only_those_that_can_be_seen_are_drawn(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    enum { RUNS = 20001 };
    struct run *run = runs_make(RUNS, 3600 * NS_PER_S);
    (void)state;
    timeline_draw(run, RUNS, NULL, &out);
    assert_int_equal(count_of(&out, "stroke-width='2.6'"), 1);
    assert_true(count_of(&out, "h0") > 400);
    assert_true(count_of(&out, "h0") < 1000); /* two rows of 441 places */
    free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_groups_with_the_most_runs_are_shown_in_their_order),
        cmocka_unit_test(a_set_is_a_box_below_the_name_of_its_group),
        cmocka_unit_test(more_sets_than_a_picture_holds_are_left_out),
        cmocka_unit_test(a_study_without_a_run_is_a_picture_too),
        cmocka_unit_test(contributors_are_sorted_and_those_of_chance_are_hollow),
        cmocka_unit_test(a_correlation_has_its_sign_and_a_dot_where_it_counts),
        cmocka_unit_test(a_timeline_has_runs_averages_and_hatched_regions),
        cmocka_unit_test(one_run_is_a_timeline_and_another_group_is_none),
        cmocka_unit_test(a_month_without_runs_is_not_hatched),
        cmocka_unit_test(a_line_ends_where_nothing_ran_for_long),
        cmocka_unit_test(of_very_many_runs_only_those_that_can_be_seen_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
