/* SPDX-License-Identifier: Apache-2.0 */
/* test_generation - the table of what is remembered of entries. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "observe/generation.h"

#include <stdio.h>

enum { MANY = 5000 };

static struct span id_of(unsigned n)
{
    static char text[32];
    int size = snprintf(text, sizeof text, "%u:user", n);
    return (struct span){ text, (size_t)size };
}

static void fill(struct generations *generations)
{
    for (unsigned i = 0; i < MANY; i++) {
        struct generation **slot = generations_add(generations, id_of(i));
        assert_non_null(slot);
        (*slot)->seen_ms = i;
    }
}

static void what_is_added_is_found(void **state)
{
    (void)state;
    struct generations generations = { 0 };
    assert_null(generations_find(&generations, id_of(0)));
    fill(&generations);
    assert_int_equal(generations.count, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        struct generation **slot = generations_find(&generations, id_of(i));
        assert_non_null(slot);
        assert_true(span_eq(generation_id(*slot), id_of(i)));
        assert_int_equal((*slot)->seen_ms, i);
        assert_int_equal((*slot)->row_ms, T_NONE);
        assert_int_equal((*slot)->start_ns, T_NONE);
        assert_int_equal((*slot)->counters_size, 0);
    }
    assert_null(generations_find(&generations, id_of(MANY)));
    generations_done(&generations);
}

static void counters_grow_in_place_or_move(void **state)
{
    (void)state;
    struct generations generations = { 0 };
    uint8_t packed[1000];
    for (size_t i = 0; i < sizeof packed; i++)
        packed[i] = (uint8_t)(i * 7);
    assert_non_null(generations_add(&generations, SPAN("other")));
    assert_non_null(generations_add(&generations, SPAN("a")));
    static const size_t sizes[] = { 3, 40, 39, 1000, 0, 1000 };
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct generation **slot = generations_find(&generations, SPAN("a"));
        assert_int_equal(generation_set_counters(slot, packed, sizes[i]), 0);
        slot = generations_find(&generations, SPAN("a"));
        assert_non_null(slot);
        assert_int_equal((*slot)->counters_size, sizes[i]);
        assert_memory_equal(generation_counters(*slot), packed, sizes[i]);
        assert_true(span_is(generation_id(*slot), "a"));
    }
    assert_non_null(generations_find(&generations, SPAN("other")));
    generations_done(&generations);
}

static bool is_odd(const struct generation *generation, const void *arg)
{
    const int64_t *below_ms = arg;
    return generation->seen_ms < *below_ms && generation->seen_ms % 2;
}

static void a_sweep_forgets_what_is_over_and_nothing_else(void **state)
{
    (void)state;
    struct generations generations = { 0 };
    fill(&generations);
    int64_t below_ms = 4000;
    assert_int_equal(generations_sweep(&generations, is_odd, &below_ms), 2000);
    assert_int_equal(generations_sweep(&generations, is_odd, &below_ms), 0);
    assert_int_equal(generations.count, MANY - 2000);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(generations_find(&generations, id_of(i)) == NULL,
                         i < 4000 && i % 2);
    assert_non_null(generations_add(&generations, id_of(1)));
    generations_done(&generations);
    assert_int_equal(generations_sweep(&generations, is_odd, &below_ms), 0);
}

static void an_unseen_instant_has_no_row(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t row_ms, seen_ms, before_ms, want_ms;
    } cases[] = {
        { "behind both", 10, 20, 100, 21 },
        { "the row is later", 30, 20, 100, 31 },
        { "no row yet", T_NONE, 20, 100, 21 },
        { "no instant between: before the row", 10, 99, 100, 9 },
        { "nor a row", T_NONE, 100, 100, 99 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t ms = generation_unseen_instant(cases[i].row_ms, cases[i].seen_ms,
                                               cases[i].before_ms);
        if (ms != cases[i].want_ms)
            fail_msg("%s: %lld", cases[i].name, (long long)ms);
        assert_true(ms != cases[i].row_ms && ms < cases[i].before_ms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_is_found),
        cmocka_unit_test(counters_grow_in_place_or_move),
        cmocka_unit_test(a_sweep_forgets_what_is_over_and_nothing_else),
        cmocka_unit_test(an_unseen_instant_has_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
