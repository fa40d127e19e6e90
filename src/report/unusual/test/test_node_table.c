/* SPDX-License-Identifier: Apache-2.0 */
/* test_node_table - nodes that differ from comparable ones, as a table. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "report/unusual/unusual.h"

#include <math.h>
#include <string.h>

#define FROM_NS (INT64_C(1700000000) * NS_PER_S)

static const struct node_host hosts[] = { { "alex/a01", 0, 0, true },
                                          { "alex/a02", 0, 0, true } };
static const struct node_check_opts check = { .from_ns = FROM_NS,
                                              .window_ns = 300 * NS_PER_S,
                                              .window_count = 12,
                                              .hosts = hosts,
                                              .host_count = 2,
                                              .metric_count = 1 };

static bool has_note(const struct table *t, const char *part)
{
    for (size_t i = 0; i < t->note_count; i++)
        if (strstr(t->notes[i], part))
            return true;
    return false;
}

static struct node_finding findings[] = {
    { .host = 1,
      .problem = NODE_SILENT,
      .value = NAN,
      .median = NAN,
      .deviations = NAN,
      .chance = NAN,
      .job = NODE_JOB_NONE,
      .since_ns = FROM_NS },
    { .host = 0,
      .problem = NODE_LOW,
      .metric = "mem_bw",
      .unit = "GB/s",
      .value = 40,
      .median = 100,
      .deviations = -12.5,
      .chance = 1e-9,
      .others = 15,
      .job = 0,
      .since_ns = FROM_NS + 600 * NS_PER_S,
      .until_ns = FROM_NS + 1800 * NS_PER_S,
      .is_over = true,
      .out = 3,
      .windows = 4 },
    { .host = 0,
      .problem = NODE_HIGH,
      .metric = "swap",
      .unit = "",
      .value = 5,
      .median = 0,
      .deviations = INFINITY,
      .chance = NAN,
      .others = 63,
      .job = NODE_JOB_NONE,
      .since_ns = FROM_NS,
      .is_longer = true,
      .out = 12,
      .windows = 12 },
};

static void each_finding_is_a_row_and_what_is_not_known_is_null(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    AUTO(strbuf_done) struct strbuf csv = STRBUF_INIT;
    const struct table_print_opts raw = { .raw_units = true };
    const char *const jobs[] = { "4711" };
    const struct node_results results = { .findings = findings,
                                          .count = 3,
                                          .selected = 2,
                                          .compared = 1,
                                          .found = 2,
                                          .silent = 1,
                                          .metrics = 2,
                                          .comparisons = 24,
                                          .newest_ns = FROM_NS + 3590 * NS_PER_S,
                                          .chance_each = 0.0004 };
    struct node_table_opts opts = {
        .results = &results, .check = &check, .jobs = jobs, .job_count = 1
    };
    table_init(&t);
    node_table_make(&opts, &t);
    assert_int_equal(table_error(&t), 0);
    table_print(&t, TABLE_FORM_CSV, &raw, &csv);
    assert_string_equal(
        strbuf_text(&csv),
        "node,problem,metric,value,median,unit,deviations,since,until,out,windows,"
        "others,job,chance\n"
        "alex/a02,silent,,,,,,2023-11-14T22:13:20.000Z,,,,,,\n"
        "alex/a01,low,mem_bw,40,100,GB/s,-12.5,2023-11-14T22:23:20.000Z,"
        "2023-11-14T22:43:20.000Z,3,4,15,4711,1e-09\n"
        "alex/a01,high,swap,5,0,,,2023-11-14T22:13:20.000Z,,12,12,63,,\n");
    assert_string_equal(t.notes[0], "2 of 2 nodes stand out, 1 of them silent");
    assert_true(has_note(&t, "12 windows of 5 min: 24 comparisons"));
    assert_true(has_note(&t, "1 nodes are compared with no others"));
    assert_true(has_note(&t, "maybe for longer"));
    assert_false(has_note(&t, "sent anything"));
    assert_false(has_note(&t, "--limit"));

    AUTO(table_done) struct table cut;
    opts.limit = 1;
    opts.is_jobs_cut = true;
    table_init(&cut);
    node_table_make(&opts, &cut);
    assert_int_equal(cut.row_count, 1);
    assert_true(has_note(&cut, "2 more findings: see --limit"));
    assert_true(has_note(&cut, "as if they had none"));
    assert_false(has_note(&cut, "maybe for longer"));
}

static void nothing_that_was_sent_is_no_good_news(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    const struct node_results results = { .selected = 2,
                                          .unknown = 1,
                                          .newest_ns = FROM_NS };
    const struct node_table_opts opts = { .results = &results, .check = &check };
    table_init(&t);
    node_table_make(&opts, &t);
    assert_int_equal(t.row_count, 0);
    assert_true(has_note(&t, "0 of 2 nodes stand out"));
    assert_true(has_note(&t, "2 nodes are compared with no others"));
    assert_true(has_note(&t, "no node has sent anything since 2023-11-14T22:13:20Z"));
    assert_true(has_note(&t, "1 nodes are known by name"));
    assert_false(has_note(&t, "comparisons"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_finding_is_a_row_and_what_is_not_known_is_null),
        cmocka_unit_test(nothing_that_was_sent_is_no_good_news),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
