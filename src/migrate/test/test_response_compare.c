/* SPDX-License-Identifier: Apache-2.0 */
/* test_response_compare - where two results differ. */
#include "migrate/response_compare.h"

#include "base/span.h"

#include "base/test/testing.h"

#include <math.h>
#include <stdio.h>

struct side {
    int64_t from_s, step_s;
    const char *data; /* of JSON */
};

static void parse_side(const struct side *side, struct query_response *ret)
{
    char json[512];
    int n =
        snprintf(json, sizeof json,
                 "{\"results\":[[{\"from\":%lld,\"resolution\":%lld,\"data\":[%s]}]]}",
                 (long long)side->from_s, (long long)side->step_s, side->data);
    assert_in_range(n, 1, sizeof json - 1);
    assert_int_equal(query_response_parse(span_of(json), ret, NULL), 0);
}

/* What two results of a step of a minute have in common. */
static const struct difference_case {
    const char *name;
    struct side ours, theirs;
    uint64_t compared, only_ours, only_theirs, differing;
    bool is_shifted;
    int64_t first_s;
} difference_cases[] = {
    { "the same", { 60, 60, "1,2,3" }, { 60, 60, "1,2,3" }, 3, 0, 0, 0, false, 0 },
    { "half a step later",
      { 60, 60, "1,2,3" },
      { 90, 60, "1,2,3" },
      3,
      0,
      0,
      0,
      true,
      0 },
    { "less than half a step earlier",
      { 60, 60, "1,2,3" },
      { 40, 60, "1,2,3" },
      3,
      0,
      0,
      0,
      true,
      0 },
    { "a whole step later",
      { 60, 60, "1,2,3" },
      { 120, 60, "2,3,4" },
      2,
      1,
      1,
      0,
      false,
      60 },
    { "a value", { 60, 60, "1,2,3" }, { 60, 60, "1,2.5,3" }, 3, 0, 0, 1, false, 120 },
    { "a hole of ours",
      { 60, 60, "1,null,3" },
      { 60, 60, "1,2,3" },
      2,
      0,
      1,
      0,
      false,
      120 },
    { "a hole of theirs",
      { 60, 60, "1,2,3" },
      { 60, 60, "1,null,3" },
      2,
      1,
      0,
      0,
      false,
      120 },
    { "both have a hole",
      { 60, 60, "1,null,3" },
      { 60, 60, "1,null,3" },
      2,
      0,
      0,
      0,
      false,
      0 },
    { "theirs is longer",
      { 60, 60, "1" },
      { 60, 60, "1,2,3" },
      1,
      0,
      2,
      0,
      false,
      120 },
    { "ours is longer", { 60, 60, "1,2,3" }, { 60, 60, "1" }, 1, 2, 0, 0, false, 120 },
    { "nothing of theirs", { 60, 60, "1,2" }, { 0, 0, "" }, 0, 2, 0, 0, false, 60 },
    { "nothing of ours", { 0, 0, "" }, { 60, 60, "1,2" }, 0, 0, 2, 0, false, 60 },
    { "nothing at all", { 0, 0, "" }, { 0, 0, "" }, 0, 0, 0, 0, false, 0 },
    { "a step of 0", { 60, 0, "1" }, { 60, 0, "1" }, 0, 1, 1, 0, false, 60 },
};

static void differences_are_counted(void **state)
{
    const struct response_tolerance exact = { 0 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(difference_cases); i++) {
        const struct difference_case *c = &difference_cases[i];
        AUTO(query_response_done) struct query_response ours = { 0 };
        AUTO(query_response_done) struct query_response theirs = { 0 };
        struct response_difference d;
        parse_side(&c->ours, &ours);
        parse_side(&c->theirs, &theirs);
        response_compare(&ours, &theirs, 0, &exact, &d);
        if (d.compared != c->compared || d.only_ours != c->only_ours ||
            d.only_theirs != c->only_theirs || d.differing != c->differing ||
            d.is_shifted != c->is_shifted || d.first_s != c->first_s)
            fail_msg("%s: %llu compared, only ours %llu, theirs %llu, %llu differ, "
                     "shifted %d, first %lld",
                     c->name, (unsigned long long)d.compared,
                     (unsigned long long)d.only_ours, (unsigned long long)d.only_theirs,
                     (unsigned long long)d.differing, d.is_shifted,
                     (long long)d.first_s);
    }
}

static void values_within_the_tolerance_are_the_same(void **state)
{
    static const struct {
        const char *ours, *theirs;
        struct response_tolerance tolerance;
        uint64_t differing;
    } cases[] = {
        { "1.000", "1.001", { 0.0, 0.001 }, 0 },
        { "1.000", "1.002", { 0.0, 0.001 }, 1 },
        { "1000000", "1000001", { 1e-6, 0.0 }, 0 },
        { "1000000", "1000002", { 1e-6, 0.0 }, 1 },
        { "-1000000", "-1000001", { 1e-6, 0.0 }, 0 },
        { "-1", "1", { 0.5, 0.001 }, 1 },
        { "0", "0", { 0.0, 0.0 }, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(query_response_done) struct query_response ours = { 0 };
        AUTO(query_response_done) struct query_response theirs = { 0 };
        struct response_difference d;
        parse_side(&(struct side){ 60, 60, cases[i].ours }, &ours);
        parse_side(&(struct side){ 60, 60, cases[i].theirs }, &theirs);
        response_compare(&ours, &theirs, 0, &cases[i].tolerance, &d);
        if (d.differing != cases[i].differing)
            fail_msg("%s and %s", cases[i].ours, cases[i].theirs);
    }
}

static void a_result_that_is_not_there_has_no_points(void **state)
{
    AUTO(query_response_done) struct query_response ours = { 0 };
    const struct query_response none = { 0 };
    const struct response_tolerance exact = { 0 };
    struct response_difference d;
    (void)state;
    parse_side(&(struct side){ 60, 60, "1,2" }, &ours);
    response_compare(&ours, &none, 0, &exact, &d);
    assert_int_equal(d.only_ours, 2);
    assert_true(d.ours == 1.0 && isnan(d.theirs));
    response_compare(&ours, &none, 1, &exact, &d);
    assert_int_equal(d.only_ours, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_counted),
        cmocka_unit_test(values_within_the_tolerance_are_the_same),
        cmocka_unit_test(a_result_that_is_not_there_has_no_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
