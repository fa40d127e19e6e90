/* SPDX-License-Identifier: Apache-2.0 */
/* test_shadow - the same queries to two stores, and what is found. */
#include "migrate/shadow.h"

#include "base/number.h"
#include "base/span.h"
#include "migrate/test/peer.h"

#include <math.h>

#define RESULT(values) "[{\"from\":60,\"resolution\":60,\"data\":[" values "]}]"
#define RESULTS(results) "{\"results\":[" results "]}"

static int collect_finding(void *arg, const struct shadow_finding *f)
{
    strbuf_addf(arg, SPAN_FMT " " SPAN_FMT ": %s %llu at %lld %s\n",
                SPAN_ARG(f->component), SPAN_ARG(f->metric), shadow_kind_name(f->kind),
                (unsigned long long)f->points, (long long)f->first_s,
                f->text ? f->text : "");
    return 0;
}

static int run_shadow(struct test_peer *ours, struct test_peer *theirs,
                      const char *metric, struct shadow_counts *counts,
                      struct strbuf *found, struct err *err)
{
    const struct http_peer barod = test_peer_make(ours), other = test_peer_make(theirs);
    const struct shadow_opts opts = { .metric = metric,
                                      .window = { 0, 600 * NS_PER_S },
                                      .tolerance = shadow_tolerance_default(),
                                      .found = collect_finding,
                                      .found_arg = found };
    int rc = shadow_run(&barod, &other, &opts, counts, err);
    return rc;
}

static void each_kind_of_difference_is_found(void **state)
{
    static const struct {
        const char *ours, *theirs, *want;
    } cases[] = {
        { RESULT("1,2"), RESULT("1,2"), "" },
        { RESULT("1,2"), RESULT("1,2.0009"), "" },
        { RESULT("1,2"), "[]", "c/h m: not there 2 at 60 \n" },
        { RESULT("1,2"), RESULT("1,3"), "c/h m: value 1 at 120 \n" },
        { RESULT("1,2"), RESULT("1,null"), "c/h m: only ours 1 at 120 \n" },
        { RESULT("1,null"), RESULT("1,2"), "c/h m: only theirs 1 at 120 \n" },
        { "[{\"error\":\"bad\"}]", RESULT("1"), "c/h m: our error 0 at 0 bad\n" },
        { RESULT("1"), "[{\"error\":\"no\"}]", "c/h m: their error 0 at 0 no\n" },
        { RESULT("1,2,3"), RESULT("9,9,null"), "c/h m: value 2 at 60 \n" },
        { RESULT("1,2,3"), RESULT("9,null,null"), "c/h m: only ours 2 at 60 \n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf found = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf a = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf b = STRBUF_INIT;
        struct shadow_counts counts;
        strbuf_addf(&a, "{\"results\":[%s]}", cases[i].ours);
        strbuf_addf(&b, "{\"results\":[%s]}", cases[i].theirs);
        const char *const ours[] = { "component,metric,step\nc/h,m,60\n",
                                     strbuf_text(&a) };
        const char *const theirs[] = { strbuf_text(&b) };
        struct test_peer p = { .responses = ours, .response_count = 2 };
        struct test_peer q = { .responses = theirs, .response_count = 1 };
        assert_int_equal(run_shadow(&p, &q, NULL, &counts, &found, NULL), 0);
        assert_string_equal(strbuf_text(&found), cases[i].want);
        assert_int_equal(counts.queried, 1);
        assert_int_equal(counts.equal, cases[i].want[0] == '\0');
        strbuf_done(&p.paths);
        strbuf_done(&q.paths);
    }
}

static void a_request_is_of_one_cluster_and_names_what_is_meant(void **state)
{
    static const char *const ours[] = {
        "component,metric,step\nc/h,m,60\nc,own,60\nc/h,baro_x,60\nc/h/t:1/"
        "u:a\\x2Fb,m,60\n"
        "d/h,m,60\n",
        RESULTS(RESULT("1") "," RESULT("2")),
        RESULTS(RESULT("3")),
    };
    static const char *const theirs[] = { RESULTS(RESULT("1") "," RESULT("2")),
                                          RESULTS(RESULT("3")) };
    struct test_peer p = { .responses = ours, .response_count = 3 };
    struct test_peer q = { .responses = theirs, .response_count = 2 };
    AUTO(strbuf_done) struct strbuf found = STRBUF_INIT;
    struct shadow_counts counts;
    (void)state;
    assert_int_equal(run_shadow(&p, &q, NULL, &counts, &found, NULL), 0);
    assert_string_equal(
        strbuf_text(&q.paths),
        "/api/query/{\"cluster\":\"c\",\"from\":0,\"to\":600,\"with-stats\":false,"
        "\"with-padding\":false,\"queries\":[{\"metric\":\"m\",\"host\":\"h\"},"
        "{\"metric\":\"m\",\"host\":\"h\",\"type\":\"t\",\"type-ids\":[\"1\"],"
        "\"subtype\":\"u\",\"subtype-ids\":[\"a/b\"]}]}\n"
        "/api/query/{\"cluster\":\"d\",\"from\":0,\"to\":600,\"with-stats\":false,"
        "\"with-padding\":false,\"queries\":[{\"metric\":\"m\",\"host\":\"h\"}]}\n");
    assert_int_equal(counts.queried, 3);
    assert_int_equal(counts.equal, 3);
    assert_int_equal(counts.points, 3);
    strbuf_done(&p.paths);
    strbuf_done(&q.paths);
}

static void series_without_a_step_are_counted_and_not_queried(void **state)
{
    static const struct {
        const char *list, *metric;
        uint64_t queried, without_step;
    } cases[] = {
        { "c/h,m,\nc/h,n,60\nc/i,m,\n", NULL, 1, 2 },
        { "c/h,m,\nc/h,n,60\nc/i,m,\n", "n", 1, 0 },
        { "c/h,baro_x,\nc/h,n,60\nc,m,\n", NULL, 1, 0 }, /* not meant anyway */
    };
    static const char *const theirs[] = { RESULTS(RESULT("1")) };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf found = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
        struct shadow_counts counts;
        strbuf_addf(&list, "component,metric,step\n%s", cases[i].list);
        const char *const ours[] = { strbuf_text(&list), theirs[0] };
        struct test_peer p = { .responses = ours, .response_count = 2 };
        struct test_peer q = { .responses = theirs, .response_count = 1 };
        assert_int_equal(run_shadow(&p, &q, cases[i].metric, &counts, &found, NULL), 0);
        assert_int_equal(counts.queried, cases[i].queried);
        assert_int_equal(counts.equal, cases[i].queried);
        assert_int_equal(counts.without_step, cases[i].without_step);
        assert_string_equal(strbuf_text(&found), "");
        strbuf_done(&p.paths);
        strbuf_done(&q.paths);
    }
}

static void a_request_has_a_hundred_queries_at_most(void **state)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf full = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf found = STRBUF_INIT;
    struct shadow_counts counts;
    (void)state;
    strbuf_adds(&list, "component,metric,step\n");
    strbuf_adds(&full, "{\"results\":[[]");
    for (int i = 0; i < 101; i++)
        strbuf_addf(&list, "c/h%d,baro_m,60\n", i);
    for (int i = 1; i < 100; i++)
        strbuf_adds(&full, ",[]");
    strbuf_adds(&full, "]}");
    const char *const ours[] = { strbuf_text(&list), strbuf_text(&full),
                                 RESULTS("[]") };
    struct test_peer p = { .responses = ours, .response_count = 3 };
    struct test_peer q = { .responses = ours + 1, .response_count = 2 };
    assert_int_equal(run_shadow(&p, &q, "baro_*", &counts, &found, NULL), 0);
    assert_int_equal(counts.queried, 101);
    assert_int_equal(q.requests, 2);
    strbuf_done(&p.paths);
    strbuf_done(&q.paths);
}

static void an_error_says_whose_it_is(void **state)
{
    static const char *const ours[] = { "component,metric,step\nc/h,m,60\n",
                                        RESULTS("[]") };
    static const struct {
        const char *ours_second, *theirs, *want;
        int rc;
    } cases[] = {
        { NULL, RESULTS("[]"), "barod: no response 1", -EIO },
        { RESULTS("[]"), NULL, "the other store: no response 0", -EIO },
        { RESULTS("[],[]"), RESULTS("[]"), "barod: 2 results of 1 queries", -EBADMSG },
        { RESULTS("[]"), RESULTS(""), "the other store: 0 results of 1 queries",
          -EBADMSG },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *const first[] = { ours[0], cases[i].ours_second };
        struct test_peer p = { .responses = first, .response_count = 2 };
        struct test_peer q = { .responses = &cases[i].theirs, .response_count = 1 };
        AUTO(strbuf_done) struct strbuf found = STRBUF_INIT;
        struct shadow_counts counts;
        struct err err = { 0 };
        assert_int_equal(run_shadow(&p, &q, NULL, &counts, &found, &err), cases[i].rc);
        assert_string_equal(err.text, cases[i].want);
        strbuf_done(&p.paths);
        strbuf_done(&q.paths);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_difference_is_found),
        cmocka_unit_test(a_request_is_of_one_cluster_and_names_what_is_meant),
        cmocka_unit_test(series_without_a_step_are_counted_and_not_queried),
        cmocka_unit_test(a_request_has_a_hundred_queries_at_most),
        cmocka_unit_test(an_error_says_whose_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
