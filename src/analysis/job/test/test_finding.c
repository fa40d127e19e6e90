/* SPDX-License-Identifier: Apache-2.0 */
/* test_finding - what is reported of a log and of what was around it, and what is not.
 */

#include "analysis/job/job.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 400, MEASURES = 8 };

static const char *const measures[MEASURES] = {
    "contention_bw",  "contention_ops", "contention_opens",
    "fs_ave_oss_cpu", "fs_ave_mds_cpu", "fshealth_ost_most_full_pct",
    "small_share",    "unheard_of",
};

/* RUNS runs of one class; each is faster than the one before it. */
struct class_of_runs {
    struct mapping mapping;
    struct run runs[RUNS];
    struct run_set set;
    struct runs all;
    double values[RUNS][MEASURES];
    uint64_t random;
};

static double draw(struct class_of_runs *t)
{
    t->random = t->random * UINT64_C(6364136223846793005) + 1;
    return (double)(t->random >> 33) / 2147483648.0;
}

static struct class_of_runs *table_new(uint64_t seed)
{
    struct class_of_runs *t = calloc(1, sizeof *t);
    t->random = seed;
    t->mapping.measures.count = MEASURES;
    for (size_t m = 0; m < MEASURES; m++)
        t->mapping.measures.items[m].name = measures[m];
    for (size_t i = 0; i < RUNS; i++) {
        t->runs[i] =
            (struct run){ .raw = 1 + (double)i, .id = "", .measures = t->values[i] };
        for (size_t m = 0; m < MEASURES; m++)
            t->values[i][m] = draw(t);
    }
    t->set = (struct run_set){ .name = "one", .count = RUNS };
    t->all = (struct runs){
        .runs = t->runs, .count = RUNS, .sets = &t->set, .set_count = 1
    };
    return t;
}

static size_t around(const struct class_of_runs *t, size_t run, struct finding *ret)
{
    const struct finding_climate climate = { &t->mapping, &t->all, &t->runs[run] };
    return findings_make_around(NULL, &climate, ret);
}

static void a_slow_run_with_the_most_of_something_is_told_so(void **state)
{
    (void)state;
    struct class_of_runs *t = table_new(5);
    struct finding found[FINDINGS_MAX];
    t->values[3][3] = 2;
    size_t count = around(t, 3, found);
    assert_true(count >= 1);
    assert_string_equal(found[0].name, "busy-servers");
    assert_true(found[0].p == 1.0 / RUNS); /* of 399 others none, and itself */
    assert_int_equal(found[0].others, RUNS - 1);
    assert_true(isnan(found[0].threshold));
    free(t);
}

static void a_run_that_is_not_slow_is_told_nothing(void **state)
{
    (void)state;
    struct class_of_runs *t = table_new(5);
    struct finding found[FINDINGS_MAX];
    t->values[RUNS / 2][0] = 2;
    assert_int_equal(around(t, RUNS / 2, found), 0);
    free(t);
}

static void among_few_runs_nothing_is_unusual_enough(void **state)
{
    (void)state;
    struct class_of_runs *t = table_new(5);
    struct finding found[FINDINGS_MAX];
    t->set.count = 40; /* 1 / 40 for the greatest, of six that are asked */
    t->values[0][0] = 2;
    assert_int_equal(around(t, 0, found), 0);
    free(t);
}

static void a_measure_that_the_run_lacks_is_not_asked(void **state)
{
    (void)state;
    struct class_of_runs *t = table_new(5);
    struct finding found[FINDINGS_MAX];
    t->set.count = 40;
    for (size_t m = 1; m < MEASURES; m++)
        t->values[0][m] = NAN;
    t->values[0][0] = 2; /* the only one: 1 / 40 is enough */
    assert_int_equal(around(t, 0, found), 1);
    assert_string_equal(found[0].name, "contention");
    free(t);
}

/* Of ten runs one in ten has the most of something: just rare enough. */
static void ten_runs_are_enough_for_one_measure(void **state)
{
    (void)state;
    for (size_t runs = 9; runs <= 11; runs++) {
        struct class_of_runs *t = table_new(5);
        struct finding found[FINDINGS_MAX];
        t->set.count = runs;
        for (size_t m = 1; m < MEASURES; m++)
            t->values[0][m] = NAN;
        t->values[0][0] = 2;
        assert_int_equal(around(t, 0, found), runs >= 10);
        free(t);
    }
}

/* Weather that has nothing to do with the runs: so few of the slow ones are reported.
 */
static void by_chance_few_slow_runs_are_told(void **state)
{
    (void)state;
    size_t claimed = 0, slow = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct class_of_runs *t = table_new(seed * 7919);
        struct finding found[FINDINGS_MAX];
        for (size_t i = 0; i < RUNS / 4; i++, slow++)
            claimed += around(t, i, found) > 0;
        free(t);
    }
    double share = (double)claimed / (double)slow;
    double margin = 3 * sqrt(0.1 * 0.9 / (double)slow);
    if (share > FINDING_CHANCE_MAX + margin || share < 0.05)
        fail_msg("%.3f of %zu slow runs", share, slow);
}

static void without_a_climate_thresholds_tell(void **state)
{
    (void)state;
    static const struct {
        const char *column;
        double value;
        const char *want; /* NULL: nothing */
    } cases[] = {
        { "coverage_factor_bw", 0.2, "contention" },
        { "coverage_factor_bw", 0.9, NULL },
        { "coverage_factor_bw", 0.02, "contention" },
        { "coverage_factor_bw", 0.0001, NULL }, /* it hardly did any I/O itself */
        { "coverage_factor_bw", 1.5, NULL },
        { "coverage_factor_opens", 0.01, NULL }, /* usual, so only by climate */
        { "fs_ave_oss_cpu", 71, "busy-servers" },
        { "fs_ave_mds_cpu", 70, NULL },
        { "fshealth_ost_most_full_pct", 97, "full-target" },
        { "fshealth_ost_overloaded_oss_count", 2, "overloaded-server" },
        { "fshealth_ost_overloaded_oss_count", 1, NULL },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_context_done) struct job_context context;
        struct finding found[FINDINGS_MAX];
        const struct job_column *column = job_column_find(cases[i].column);
        job_context_init(&context);
        job_column_set(column,
                       column->type == SCALAR_I64 ? scalar_i64((int64_t)cases[i].value)
                                                  : scalar_double(cases[i].value),
                       &context);
        size_t count = findings_make_around(&context, NULL, found);
        if (count != (cases[i].want != NULL) ||
            (count > 0 && strcmp(found[0].name, cases[i].want) != 0))
            fail_msg("%s = %g: %zu findings", cases[i].column, cases[i].value, count);
    }
    struct finding none[FINDINGS_MAX];
    assert_int_equal(findings_make_around(NULL, NULL, none), 0);
}

static void evidence_of_the_log_has_its_place_in_the_climate(void **state)
{
    (void)state;
    struct class_of_runs *t = table_new(5);
    const struct finding_climate climate = { &t->mapping, &t->all, &t->runs[9] };
    struct profile p = { .accesses = 5000 };
    struct finding found[FINDINGS_MAX];
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++) {
        p.values[i] = NAN;
        p.costs[i] = cost_unknown;
    }
    p.values[PROFILE_SMALL_SHARE] = 0.9;
    p.values[PROFILE_RANDOM_SHARE] = 0.9;
    t->values[9][6] = 3;
    assert_int_equal(findings_make(&p, found), 2);
    assert_string_equal(found[0].name, "random");
    findings_compare(&climate, found, 2);
    assert_true(isnan(found[0].p)); /* no measure is called so */
    assert_true(found[1].p == 1.0 / RUNS);
    free(t);
}

static struct finding made(const char *name, enum finding_kind kind, double low,
                           double high)
{
    return (struct finding){ .name = name,
                             .text = "",
                             .kind = kind,
                             .unit = "",
                             .cost = cost_between(low, high, COST_SHARED),
                             .which = -1 };
}

static void is_order(const struct finding *found, size_t count, const char *want)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&names, "%s%s", i > 0 ? " " : "", found[i].name);
    assert_string_equal(strbuf_text(&names), want);
}

static void what_cost_the_most_comes_first(void **state)
{
    (void)state;
    struct finding found[] = {
        made("stdio", FINDING_OF_LOG, NAN, NAN),
        made("small", FINDING_OF_LOG, 0, 10),
        made("metadata-heavy", FINDING_OF_LOG, 8, 9),
        made("contention", FINDING_AROUND, 0, 10),
    };
    findings_order(found, COUNT_OF(found));
    is_order(found, COUNT_OF(found), "metadata-heavy contention small stdio");
}

static void what_follows_stands_behind_its_cause(void **state)
{
    (void)state;
    struct finding found[] = {
        made("imbalanced", FINDING_OF_LOG, 20, 21),
        made("unaligned", FINDING_OF_LOG, 0, 30),
        made("small", FINDING_OF_LOG, 0, 30),
        made("slow-target", FINDING_OF_LOG, 19, 20),
        made("contended-target", FINDING_CONTENDED, 19, 20),
    };
    found[3].which = 4;
    found[4].which = 5; /* another target: the contention did not slow this one */
    findings_order(found, COUNT_OF(found));
    is_order(found, COUNT_OF(found),
             "contended-target slow-target imbalanced small unaligned");
    assert_null(found[1].because);
    assert_string_equal(found[2].because, "slow-target");
    assert_string_equal(found[4].because, "small");
    found[0].which = 4;
    findings_order(found, COUNT_OF(found));
    assert_string_equal(found[1].because, "contended-target");
}

static void a_class_says_what_is_longer_than_usual(void **state)
{
    (void)state;
    struct class_of_runs *t = table_new(5);
    const struct finding_climate climate = { &t->mapping, &t->all, &t->runs[3] };
    struct profile p = { .io = cost_between(100, 100, COST_EXACT) };
    struct finding found[] = {
        made("contention", FINDING_AROUND, NAN, NAN),
        { .name = "small",
          .kind = FINDING_OF_LOG,
          .cost = cost_between(0, 100, COST_OTHERWISE) },
    };
    for (size_t i = 0; i < RUNS; i++) /* half of all reach 0.25 .. 0.75 of the best */
        t->runs[i].fraction = (double)(i + 1) / RUNS;
    t->runs[3].fraction = 0.125;
    struct cost excess = finding_excess(&climate, &p);
    assert_true(fabs(excess.low_s - 50) < 1 && fabs(excess.high_s - 83.3) < 1);
    findings_weigh(&climate, &p, found, COUNT_OF(found));
    assert_true(found[0].cost.low_s == 0 && found[0].cost.high_s == excess.high_s);
    assert_true(found[0].cost.reason == COST_EXCESS);
    assert_true(found[1].cost.high_s == 87.5 && found[1].cost.reason == COST_BEST);
    t->runs[3].fraction = 0.9;
    excess = finding_excess(&climate, &p);
    assert_true(excess.high_s == 0);
    t->set.count = 5; /* with four others nothing is usual */
    excess = finding_excess(&climate, &p);
    assert_false(cost_is_known(&excess));
    free(t);
}

static void contention_costs_what_the_slow_target_did_or_at_most_the_time_there(
    void **state)
{
    (void)state;
    struct profile p = { .io = cost_between(20, 20, COST_EXACT),
                         .target = { .ost = 2, .ratio = 5 },
                         .targets = { { 2, 18 }, { 3, 6 } },
                         .target_count = 2 };
    struct server_target t = {
        .name = "scratch-OST0002", .index = 2, .contention = 9, .is_contended = true
    };
    struct job_servers servers = { .targets = &t, .target_count = 1 };
    struct finding found;
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        p.costs[i] = cost_unknown;
    p.costs[PROFILE_SLOW_TARGET] = cost_between(14, 15, COST_FILES);
    p.costs[PROFILE_META_SHARE] = cost_between(1, 4, COST_WAITS);
    assert_int_equal(findings_make_contended(&servers, &p, &found), 1);
    assert_true(found.cost.low_s == 14 && found.cost.high_s == 15);
    t.index = 3;
    assert_int_equal(findings_make_contended(&servers, &p, &found), 1);
    assert_true(found.cost.low_s == 0 && found.cost.high_s == 6);
    t.index = 7; /* no file lies there alone: one may have a stripe there */
    assert_int_equal(findings_make_contended(&servers, &p, &found), 1);
    assert_true(found.cost.low_s == 0 && found.cost.high_s == 20);
    p.has_osts = true; /* by the layouts none has: not what this log is of */
    assert_int_equal(findings_make_contended(&servers, &p, &found), 1);
    assert_false(cost_is_known(&found.cost));
    p.osts[0] = 1 << 7;
    assert_int_equal(findings_make_contended(&servers, &p, &found), 1);
    assert_true(found.cost.low_s == 0 && found.cost.high_s == 20);
    t.is_mdt = true;
    assert_int_equal(findings_make_contended(&servers, &p, &found), 1);
    assert_true(found.cost.low_s == 0 && found.cost.high_s == 4);
    t.is_contended = false;
    assert_int_equal(findings_make_contended(&servers, &p, &found), 0);
}

/* Just beyond its threshold a measure is reported, with its own words; at it it is not.
 */
static void each_rule_of_the_log_has_its_threshold(void **state)
{
    (void)state;
    static const struct {
        enum profile_measure measure;
        double threshold;
        const char *name, *n_word;
        uint64_t n;
        int64_t which;
    } cases[] = {
        { PROFILE_SMALL_SHARE, 0.5, "small", "accesses", 1000, -1 },
        { PROFILE_UNALIGNED_SHARE, 0.4, "unaligned", "accesses", 1000, -1 },
        { PROFILE_RANDOM_SHARE, 0.2, "random", "accesses", 1000, -1 },
        { PROFILE_IMBALANCE, 2, "imbalanced", "processes", 64, 5 },
        { PROFILE_META_SHARE, 0.1, "metadata-heavy", "processes", 64, -1 },
        { PROFILE_SLOW_TARGET, 3, "slow-target", "targets", 8, 17 },
        { PROFILE_STDIO_SHARE, 0.5, "stdio", "accesses", 1000, -1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct finding found[FINDINGS_MAX];
        struct profile p = { .accesses = FINDING_ACCESSES_MIN,
                             .read_s = 0.25,
                             .write_s = 0.25,
                             .meta_s = 0.5,
                             .slowest_rank = 5,
                             .target = { .targets = 8, .p = 0.1, .ost = 17 } };
        p.values[PROFILE_PROCESSES] = 64;
        p.values[cases[i].measure] = cases[i].threshold;
        assert_int_equal(findings_make(&p, found), 0);
        p.values[cases[i].measure] = nextafter(cases[i].threshold, INFINITY);
        assert_int_equal(findings_make(&p, found), 1);
        assert_string_equal(found[0].name, cases[i].name);
        assert_int_equal(found[0].measure, cases[i].measure);
        assert_string_equal(found[0].n_word, cases[i].n_word);
        assert_int_equal(found[0].n, cases[i].n);
        assert_int_equal(found[0].which, cases[i].which);
        assert_true(found[0].threshold == cases[i].threshold);
        /* Of too little nothing is reported. */
        struct profile little = p;
        little.accesses--;
        little.meta_s = 0.499;
        little.target.p = nextafter(0.1, 1);
        assert_int_equal(findings_make(&little, found), 0);
    }
}

static void a_process_that_moved_no_more_is_slow_and_no_imbalance(void **state)
{
    (void)state;
    static const struct {
        double bytes, meta;
        const char *want;
    } cases[] = { { 1, 0, "slow-process" }, { 1.49, 0, "slow-process" },
                  { 1.5, 0, "imbalanced" }, { 8, 0, "imbalanced" },
                  { NAN, 0, "imbalanced" }, { 0, 0, "imbalanced" },
                  { 1, 0.51, "imbalanced" } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct finding found[FINDINGS_MAX];
        struct profile p = { .read_s = 5, .slowest_rank = 5 };
        p.slowest_bytes = cases[i].bytes;
        p.values[PROFILE_PROCESSES] = 64;
        p.values[PROFILE_IMBALANCE] = 3;
        p.values[PROFILE_META_RANK] = cases[i].meta;
        size_t count = findings_make(&p, found);
        bool is_there = false;
        for (size_t f = 0; f < count; f++)
            is_there |= strcmp(found[f].name, cases[i].want) == 0;
        if (!is_there || count != 1 + (cases[i].meta > 0.5))
            fail_msg("%zu: %zu", i, count);
    }
}

static void each_rule_is_found_by_its_name_and_names_its_cause(void **state)
{
    (void)state;
    size_t kinds[FINDING_KIND_COUNT] = { 0 };
    for (size_t i = 0; i < finding_rule_count; i++) {
        const struct finding_rule *rule = &finding_rules[i];
        assert_ptr_equal(finding_rule_find(rule->name), rule);
        kinds[rule->kind]++;
        for (size_t c = 0; c < FINDING_CAUSES_MAX; c++)
            if (rule->because[c] && !finding_rule_find(rule->because[c]))
                fail_msg("%s: because of no finding", rule->name);
        if (rule->kind == FINDING_AROUND &&
            !(rule->evidence && rule->value && rule->n && rule->n_word && rule->unit))
            fail_msg("%s: an entry is missing", rule->name);
    }
    assert_int_equal(kinds[FINDING_CONTENDED], 1);
    assert_true(finding_rule_count <= FINDINGS_MAX);
    assert_null(finding_rule_find("no-such"));
}

static void an_empty_context_gives_no_value_to_any_rule(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context context;
    job_context_init(&context);
    for (size_t i = 0; i < finding_rule_count; i++) {
        const struct finding_rule *rule = &finding_rules[i];
        if (rule->kind != FINDING_AROUND)
            continue;
        if (!isnan(rule->value(&context)) || !isnan(rule->n(&context)) ||
            (rule->as_much && !isnan(rule->as_much(&context))) ||
            (rule->who && rule->who(&context)))
            fail_msg("%s: a value out of nothing", rule->name);
    }
}

static void others_on_the_fabric_count_where_their_day_is_rare(void **state)
{
    (void)state;
    static const struct {
        double times;
        int64_t days, as_much;
        size_t want;
    } cases[] = {
        { 3, 9, 0, 1 },
        { 3, 9, 1, 0 },
        { 3, 8, 0, 0 },
        { 2, 9, 0, 0 },
        { 3, JOB_I64_NONE, 0, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_context_done) struct job_context context;
        struct finding found[FINDINGS_MAX];
        job_context_init(&context);
        context.fabric.times = cases[i].times;
        context.fabric.days = cases[i].days;
        context.fabric.as_much = cases[i].as_much;
        context.fabric.names = "fs1 fs2";
        size_t count = findings_make_around(&context, NULL, found);
        if (count != cases[i].want)
            fail_msg("%zu: %zu findings", i, count);
        if (count > 0) {
            assert_string_equal(found[0].who, "fs1 fs2");
            assert_true(found[0].p == 0.1 && found[0].others == 9);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_of_the_log_has_its_threshold),
        cmocka_unit_test(what_cost_the_most_comes_first),
        cmocka_unit_test(what_follows_stands_behind_its_cause),
        cmocka_unit_test(a_class_says_what_is_longer_than_usual),
        cmocka_unit_test(
            contention_costs_what_the_slow_target_did_or_at_most_the_time_there),
        cmocka_unit_test(a_slow_run_with_the_most_of_something_is_told_so),
        cmocka_unit_test(a_run_that_is_not_slow_is_told_nothing),
        cmocka_unit_test(among_few_runs_nothing_is_unusual_enough),
        cmocka_unit_test(a_measure_that_the_run_lacks_is_not_asked),
        cmocka_unit_test(ten_runs_are_enough_for_one_measure),
        cmocka_unit_test(by_chance_few_slow_runs_are_told),
        cmocka_unit_test(without_a_climate_thresholds_tell),
        cmocka_unit_test(evidence_of_the_log_has_its_place_in_the_climate),
        cmocka_unit_test(a_process_that_moved_no_more_is_slow_and_no_imbalance),
        cmocka_unit_test(each_rule_is_found_by_its_name_and_names_its_cause),
        cmocka_unit_test(an_empty_context_gives_no_value_to_any_rule),
        cmocka_unit_test(others_on_the_fabric_count_where_their_day_is_rare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
