/* SPDX-License-Identifier: Apache-2.0 */
/* test_server_findings - what servers' counters show of a job, with its log or without.
 */
#include "analysis/job/job.h"
#include "analysis/job/job_value.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"

#include <math.h>

static struct job_servers servers_of(struct server_target *targets, size_t count)
{
    return (struct job_servers){ .targets = targets, .target_count = count };
}

static void requests_are_reported_where_they_are_small_or_many(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes, requests, metadata;
        double run_s;
        const char *want;
    } cases[] = {
        { 200000ULL * 4096, 200000, 0, 600, "small-requests" },
        { 200000ULL * 65536, 200000, 0, 600, "small-requests" },
        { 200000ULL * 65537, 200000, 0, 600, "" },
        { 199999ULL * 4096, 199999, 0, 600, "" },
        { 0, 0, 500000, 1000, "metadata-requests" },
        { 0, 0, 500000, 1001, "" },
        { 0, 0, 499999, 10, "" },
        { 0, 0, 500000, NAN, "" },
        { 0, 0, 500000, 0, "" },
        { 200000ULL * 4096, 200000, 900000, 60, "metadata-requests small-requests" },
        { 400000ULL * 4096, 400000, 0, 60, "small-requests" },
        { 600000ULL * 4096, 600000, 500000, 60, "small-requests metadata-requests" },
        { 0, 0, 0, 60, "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct job_servers s = servers_of(NULL, 0);
        struct finding found[4];
        AUTO(strbuf_done) struct strbuf have = STRBUF_INIT;
        s.own = (struct server_flow){ .written_bytes = cases[i].bytes,
                                      .requests = cases[i].requests,
                                      .metadata = cases[i].metadata };
        size_t count = findings_make_requests(&s, cases[i].run_s, found);
        for (size_t f = 0; f < count; f++) {
            strbuf_addf(&have, "%s%s", f ? " " : "", found[f].name);
            assert_false(cost_is_known(&found[f].cost));
        }
        if (strcmp(strbuf_text(&have), cases[i].want) != 0)
            fail_msg("%zu: %s", i, strbuf_text(&have));
    }
}

static void nearly_all_on_one_target_is_one_stripe(void **state)
{
    (void)state;
    static const struct {
        double here, elsewhere;
        size_t osts;
        bool want;
    } cases[] = { { 1e11, 0, 16, true },
                  { 9e10, 0, 16, false },
                  { 1e11, 9e9, 16, false },
                  { 2e11, 9e9, 16, true },
                  { 1e11, 0, 3, false } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct server_target targets[] = {
            { .name = "a", .index = 5, .own.written_bytes = (uint64_t)cases[i].here },
            { .name = "b",
              .index = 6,
              .own.written_bytes = (uint64_t)cases[i].elsewhere },
        };
        struct job_servers s = servers_of(targets, COUNT_OF(targets));
        struct finding found[4];
        s.kind_count[0] = cases[i].osts;
        s.own.written_bytes = (uint64_t)(cases[i].here + cases[i].elsewhere);
        size_t count = findings_make_requests(&s, 60, found);
        if (count != cases[i].want || (count && found[0].which != 5))
            fail_msg("%zu", i);
    }
}

static void files_over_all_targets_are_told_from_many_small_ones(void **state)
{
    (void)state;
    static const struct {
        uint64_t requests, metadata;
        double request_bytes, least; /* of the OST with the least, of the others' */
        size_t osts;
        const char *want;
    } cases[] = {
        { 2000000, 1000000, 131072, 1, 16, "wide-files" },
        { 1999999, 1000000, 131072, 1, 16,
          "metadata-requests" },                               /* a file, a request */
        { 2000000, 1000000, 2e6, 1, 16, "metadata-requests" }, /* large files */
        { 2000000, 1000000, 131072, 0.79, 16, "metadata-requests" },
        { 2000000, 1000000, 131072, 1, 7, "metadata-requests" },
        { 2000000, 1000000, 60000, 1, 16, "small-requests" },
        { 2000000, 400000, 131072, 1, 16, "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct server_target targets[17] = { { .name = "m", .is_mdt = true } };
        struct job_servers s = servers_of(targets, cases[i].osts + 1);
        struct finding found[4];
        double each =
            (double)cases[i].requests * cases[i].request_bytes / (double)cases[i].osts;
        for (size_t t = 1; t <= cases[i].osts; t++) {
            targets[t] = (struct server_target){ .name = "o", .index = (int)t };
            targets[t].own.written_bytes =
                (uint64_t)(t == 1 ? each * cases[i].least : each);
            s.own.written_bytes += targets[t].own.written_bytes;
        }
        s.own.requests = cases[i].requests;
        s.own.metadata = cases[i].metadata;
        size_t count = findings_make_requests(&s, 600, found);
        if (strcmp(count > 0 ? found[0].name : "", cases[i].want) != 0)
            fail_msg("%zu: %s", i, count > 0 ? found[0].name : "none");
        findings_order(found, count);
        if (count > 1 && i == 0)
            assert_string_equal(found[1].because, "wide-files");
    }
}

static void contention_is_usual_until_a_class_or_a_cost_says_otherwise(void **state)
{
    (void)state;
    struct finding f = finding_of(finding_rule_find("contention"), 0.97);
    assert_true(finding_is_usual(&f));
    f.p = 0.01;
    assert_false(finding_is_usual(&f));
    f.p = NAN;
    f.cost = cost_between(1, 2, COST_EXACT);
    assert_false(finding_is_usual(&f));
    f = finding_of(finding_rule_find("full-target"), 97);
    assert_false(finding_is_usual(&f));
}

static void wide_stripes_are_of_many_small_files(void **state)
{
    (void)state;
    static const struct {
        double stripes, files, meta_s, meta_share;
        bool want;
    } cases[] = {
        { 16, 2000, 40, 0.6, true },   { 4, 2000, 40, 0.6, false },
        { 16, 499, 40, 0.6, false },   { 16, 2000, 40, 0.1, false },
        { 16, 2000, 15, 0.6, false },  { 16, 0, 40, 0.6, false },
        { NAN, 2000, 40, 0.6, false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct profile *p = calloc(1, sizeof *p);
        struct finding found[FINDINGS_MAX];
        bool is_found = false;
        assert_non_null(p);
        p->meta_s = cases[i].meta_s;
        p->accesses = 10000;
        p->values[PROFILE_PROCESSES] = 64;
        p->values[PROFILE_STRIPES] = cases[i].stripes;
        p->values[PROFILE_FILES] = cases[i].files;
        p->values[PROFILE_META_CALLS] = 4;
        p->values[PROFILE_META_SHARE] = cases[i].meta_share;
        for (size_t m = 0; m < PROFILE_MEASURE_COUNT; m++)
            p->costs[m] = cost_between(10, 20, COST_EXACT);
        size_t count = findings_make(p, found);
        findings_order(found, count);
        for (size_t f = 0; f < count; f++) {
            is_found |= strcmp(found[f].name, "wide-stripes") == 0;
            if (is_found && strcmp(found[f].name, "metadata-heavy") == 0)
                assert_string_equal(found[f].because, "wide-stripes");
        }
        if (is_found != cases[i].want)
            fail_msg("%zu: %d", i, is_found);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_reported_where_they_are_small_or_many),
        cmocka_unit_test(nearly_all_on_one_target_is_one_stripe),
        cmocka_unit_test(wide_stripes_are_of_many_small_files),
        cmocka_unit_test(files_over_all_targets_are_told_from_many_small_ones),
        cmocka_unit_test(contention_is_usual_until_a_class_or_a_cost_says_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
