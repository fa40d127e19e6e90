/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_picks - the largest of many, in their order. */
#include "api/reading/metric_picks.h"
#include "base/test/testing.h"

#include <stdlib.h>

enum { PICKS_MAX = 300, METRICS = 5 };

static uint64_t seed = 88172645463325252;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

/* The larger rank, then the earlier component, then the earlier metric. */
static int compare(const void *a, const void *b)
{
    const struct metric_pick *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return x->metric->id < y->metric->id ? -1 : x->metric->id > y->metric->id;
}

static void the_largest_are_those_of_all_sorted(void **state)
{
    static struct metric metrics[METRICS];
    static struct metric_pick all[PICKS_MAX];
    (void)state;
    for (uint32_t i = 0; i < METRICS; i++)
        metrics[i].id = i;
    for (int round = 0; round < 400; round++) {
        struct budget_hold hold = { 0 };
        struct metric_picks picks = { .hold = &hold };
        size_t count = 1 + draw(PICKS_MAX), wanted = draw(80);
        uint64_t ranks = 1 + draw(round % 2 ? 4 : 1000000); /* many are equal, or few */
        for (size_t i = 0; i < count; i++)
            all[i] = (struct metric_pick){ &metrics[i % METRICS], i / METRICS, 1,
                                           (double)draw(ranks) };
        for (size_t i = count; i > 1; i--) {
            size_t other = draw(i);
            struct metric_pick kept = all[i - 1];
            all[i - 1] = all[other];
            all[other] = kept;
        }
        for (size_t i = 0; i < count; i++)
            assert_int_equal(metric_picks_offer(&picks, &all[i], wanted), 0);
        metric_picks_rank(&picks);
        qsort(all, count, sizeof all[0], compare);
        struct metric_pick got;
        size_t given = 0;
        while (metric_picks_next(&picks, &got)) {
            assert_true(given < count);
            if (compare(&got, &all[given]) != 0)
                fail_msg("round %d: of %zu the %zu largest, place %zu: rank %g, not %g",
                         round, count, wanted, given, got.rank, all[given].rank);
            given++;
        }
        assert_int_equal(given, wanted < count ? wanted : count);
        metric_picks_done(&picks);
        budget_hold_set(&hold, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_are_those_of_all_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
