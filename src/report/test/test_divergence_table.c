/* SPDX-License-Identifier: Apache-2.0 */
/* test_divergence_table - regions, contributors, correlations and what is normal, as
 * tables. */
#include "base/test/testing.h"
#include "report/climate_table.h"
#include "report/divergence_table.h"

#include <math.h>

#define SECOND INT64_C(1000000000)
#define START (INT64_C(1500000000) * SECOND)

static const struct run slowest = {
    .t_ns = START + SECOND, .raw = 12, .fraction = 0.25, .id = "j2"
};
static const struct divergence_contributor contributors[] = {
    { "Load", 78.25, 0.04 },
    { "Errors", 3, 0.005 },
};
static struct divergence_region regions[] = {
    { "a x", START, START + 2 * SECOND, 129600 * SECOND, 3, false, 0.5, 0.75, &slowest,
      2, contributors, 2 },
    { "a x", START, START, 0, 1, true, 1, 0.5, &slowest, 0, NULL, 0 },
};
static struct divergence_correlation correlations_of_regions[] = {
    { "a x", START, START + 2 * SECOND, 3, "load", { 3, -0.5, 0.0625 } },
};
static const struct divergence found = {
    .p_contributor = 0.05,
    .regions = regions,
    .region_count = 2,
    .correlations = correlations_of_regions,
    .correlation_count = 1,
    .measures = { { "load", "Load", 4, 1, 0.25, 0.1875 },
                  { "luck", "Luck", 0, 0, NAN, NAN } },
    .measure_count = 2,
    .asked = 1,
    .explained = 1,
};

static void is_csv(const struct table *table, const char *want)
{
    AUTO(strbuf_done) struct strbuf csv = STRBUF_INIT;
    const struct table_print_opts raw = { .raw_units = true };
    table_print(table, TABLE_FORM_CSV, &raw, &csv);
    assert_string_equal(strbuf_text(&csv), want);
}

static void each_region_has_a_row(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    table_init(&t);
    assert_int_equal(region_table_make(&found, &t, NULL), 0);
    is_csv(&t, "class,from,to,days,runs,is,mean,season,slowest,slowest_time,fraction\n"
               "a x,2017-07-14T02:40:00.000Z,2017-07-14T02:40:02.000Z,1.5,3,slower,0.5,"
               "0.75,j2,2017-07-14T02:40:01.000Z,0.25\n"
               "a x,2017-07-14T02:40:00.000Z,2017-07-14T02:40:00.000Z,0,1,faster,1,0.5,"
               "j2,2017-07-14T02:40:01.000Z,0.25\n");
}

static void correlations_of_a_region_name_their_measure(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    table_init(&t);
    assert_int_equal(region_correlation_table_make(&found, &t, NULL), 0);
    is_csv(&t, "class,from,to,runs,measure,n,r,p\n"
               "a x,2017-07-14T02:40:00.000Z,2017-07-14T02:40:02.000Z,3,load,3,-0.5,"
               "0.0625\n");
}

static void a_measure_without_an_anomaly_has_no_fraction(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    table_init(&t);
    assert_int_equal(contributor_table_make(&found, &t, NULL), 0);
    is_csv(&t, "measure,label,contributed,covered,fraction,p\n"
               "load,Load,1,4,0.25,0.1875\n"
               "luck,Luck,0,0,,\n");
    assert_int_equal(t.note_count, 2);
    assert_string_equal(t.notes[0],
                        "2 regions; a measure covers the slowest run of 1, and "
                        "explains that of 1");
    assert_string_equal(t.notes[1],
                        "p is the chance of as many by chance alone, at 0.05 each");
}

static void an_anomaly_lists_what_was_at_its_worst(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    table_init(&t);
    assert_int_equal(anomaly_table_make(&found, &t, NULL), 0);
    is_csv(&t, "class,run,time,fraction,runs,covered,contributors\n"
               "a x,j2,2017-07-14T02:40:01.000Z,0.25,3,2,Load 78.25 (p 0.04); Errors 3 "
               "(p 0.005)\n"
               "a x,j2,2017-07-14T02:40:01.000Z,0.25,1,0,\n");
}

static void what_is_normal_has_late_quantiles_where_there_are_late_runs(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    struct normal_class classes[] = {
        { "a", "load", 5, 1, 1, 2, 3, 4, 5, 2, 6, 7, 8 },
        { "a", "luck", 4, 0, 1, 2, 3, 4, 5, 0, NAN, NAN, NAN },
    };
    const struct normal normal = { .classes = classes, .class_count = 2 };
    table_init(&t);
    assert_int_equal(normal_class_table_make(&normal, &t, NULL), 0);
    is_csv(&t, "class,measure,runs,missing,q05,q25,q50,q75,q95,late_runs,late_q25,"
               "late_q50,late_q75\n"
               "a,load,5,1,1,2,3,4,5,2,6,7,8\n"
               "a,luck,4,0,1,2,3,4,5,0,,,\n");
}

static void unusual_values_of_a_run_are_phrases(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    struct normal_unusual second = { "Errors", 3, { 20, 0, 0 }, NULL };
    struct normal_unusual first = { "Load", 78.25, { 20, 20, 0 }, &second };
    struct normal_run last[] = {
        { "a x", &slowest, { 20, 5, 0 }, &first },
        { "a y", &slowest, { 0, 0, 0 }, NULL },
    };
    const struct normal normal = { .last = last, .last_count = 2 };
    table_init(&t);
    assert_int_equal(normal_last_table_make(&normal, &t, NULL), 0);
    is_csv(&t,
           "class,run,time,performance,fraction,others,slower_share,unusual\n"
           "a x,j2,2017-07-14T02:40:01.000Z,12,0.25,20,0.25,\"Load 78.25, more than in "
           "all 20 runs; Errors 3, less than in all 20 runs\"\n"
           "a y,j2,2017-07-14T02:40:01.000Z,12,0.25,0,,\n");
}

static void correlations_note_how_many_tests_there_were(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    struct class_correlation items[] = {
        { "a", "load", { 5, -0.5, 0.125 }, { 5, -0.75, 0.25 }, 0.125, 0.25 },
    };
    const struct correlations all = { .items = items, .count = 1 };
    table_init(&t);
    assert_int_equal(correlation_table_make(&all, &t, NULL), 0);
    is_csv(&t, "class,measure,n,r,p,p_many,rho,p_rho,p_rho_many\n"
               "a,load,5,-0.5,0.125,0.125,-0.75,0.25,0.25\n");
    assert_string_equal(t.notes[0],
                        "1 tests: p_many is p times as many (Bonferroni), the chance "
                        "that the least of them is as small");
}

static void a_scoreboard_counts_what_was_cut_or_is_missing(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    struct scoreboard_line lines[] = {
        { "anna", 2, { 30, 0 } },
        { "bert", 1, { 10, 0 } },
    };
    const struct scoreboard scoreboard = {
        .boards = { { "user", lines, 2, 3, 1 } },
        .board_count = 1,
        .scores = { "bytes", "hours" },
        .lacking = { 2, 7 },
        .score_count = 2,
        .all = { NULL, 7, { 40, 0 } },
        .faults = { "t.csv:3: too short" },
        .fault_count = 1,
    };
    static const char *const notes[] = {
        "t.csv:3: too short",
        "user: 3 more",
        "user: 1 of 7 rows do not have it",
        "bytes: 2 of 7 rows lack it and add nothing",
        "hours: 7 of 7 rows lack it and add nothing",
    };
    table_init(&t);
    assert_int_equal(scoreboard_table_make(&scoreboard, &t, NULL), 0);
    is_csv(&t, "board,name,runs,share,bytes,hours\n"
               "user,anna,2,0.75,30,\n"
               "user,bert,1,0.25,10,\n");
    assert_int_equal(t.note_count, COUNT_OF(notes));
    for (size_t i = 0; i < COUNT_OF(notes); i++)
        assert_string_equal(t.notes[i], notes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_region_has_a_row),
        cmocka_unit_test(correlations_of_a_region_name_their_measure),
        cmocka_unit_test(a_measure_without_an_anomaly_has_no_fraction),
        cmocka_unit_test(an_anomaly_lists_what_was_at_its_worst),
        cmocka_unit_test(what_is_normal_has_late_quantiles_where_there_are_late_runs),
        cmocka_unit_test(unusual_values_of_a_run_are_phrases),
        cmocka_unit_test(correlations_note_how_many_tests_there_were),
        cmocka_unit_test(a_scoreboard_counts_what_was_cut_or_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
