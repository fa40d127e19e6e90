/* SPDX-License-Identifier: Apache-2.0 */
/* test_counters - counters there and back, and what their steps mean. */
#include "base/span.h"
#include "base/test/testing.h"
#include "observe/counters.h"

static void add_op(struct entry *entry, const char *name, const char *unit,
                   uint64_t samples, uint64_t sum)
{
    entry->ops[entry->op_count++] = (struct op_stat){
        .name = span_of(name),
        .unit_text = span_of(unit),
        .unit = op_unit_parse(span_of(unit)),
        .has = OP_HAS_SAMPLES | OP_HAS_SUM,
        .samples = samples,
        .sum = sum,
    };
}

static void counters_survive_being_packed(void **state)
{
    (void)state;
    struct entry entry = { 0 };
    add_op(&entry, "write_bytes", "bytes", UINT64_MAX, UINT64_MAX);
    add_op(&entry, "open", "reqs", 0, 0);
    add_op(&entry, "newop", "usecs", 1, 127);
    add_op(&entry, "newop", "bytes", 128, 0);
    add_op(&entry, "close", "reqs", 300, 0);
    struct counters c, back;
    static uint8_t packed[COUNTERS_BYTES_MAX];
    counters_of_entry(&entry, &c);
    assert_int_equal(c.count, 5);
    size_t size = counters_pack(&c, packed);
    assert_int_equal(counters_unpack(packed, size, &back), 0);
    assert_int_equal(back.count, 4); /* open is zero */
    assert_false(counters_changed(&c, &back));
    assert_false(counters_changed(&back, &c));
    for (size_t cut = 1; cut < size; cut++)
        if (counters_unpack(packed, cut, &back) == 0)
            assert_true(back.count < 4);
}

static void the_order_of_printing_does_not_matter(void **state)
{
    (void)state;
    struct entry one = { 0 }, two = { 0 };
    add_op(&one, "open", "reqs", 1, 0);
    add_op(&one, "zz", "reqs", 2, 0);
    add_op(&one, "aa", "reqs", 3, 0);
    add_op(&two, "aa", "reqs", 3, 0);
    add_op(&two, "zz", "reqs", 2, 0);
    add_op(&two, "open", "reqs", 1, 0);
    static uint8_t a[COUNTERS_BYTES_MAX], b[COUNTERS_BYTES_MAX];
    struct counters c;
    counters_of_entry(&one, &c);
    size_t a_size = counters_pack(&c, a);
    counters_of_entry(&two, &c);
    assert_int_equal(counters_pack(&c, b), a_size);
    assert_memory_equal(a, b, a_size);
}

static void old_and_new_names_of_one_counter_are_one(void **state)
{
    (void)state;
    struct entry old = { 0 }, new = { 0 };
    add_op(&old, "write", "bytes", 5, 500);
    add_op(&new, "write_bytes", "bytes", 4, 900);
    struct counters a, b;
    counters_of_entry(&old, &a);
    counters_of_entry(&new, &b);
    assert_true(counters_decreased(&a, &b));
}

static void a_sum_of_usecs_may_fall(void **state)
{
    (void)state;
    struct entry before = { 0 }, next = { 0 };
    add_op(&before, "write", "usecs", 5, 500);
    add_op(&next, "write", "usecs", 6, 400);
    struct counters a, b;
    counters_of_entry(&before, &a);
    counters_of_entry(&next, &b);
    assert_false(counters_decreased(&a, &b));
    assert_true(counters_changed(&a, &b));
}

static void totals_grow_by_what_is_added(void **state)
{
    (void)state;
    struct entry before = { 0 }, next = { 0 };
    add_op(&before, "write_bytes", "bytes", 5, 500);
    add_op(&next, "write_bytes", "bytes", 7, 800);
    add_op(&next, "newop", "reqs", 3, 0);
    struct counters a, b, total = { 0 };
    counters_of_entry(&before, &a);
    counters_of_entry(&next, &b);
    assert_int_equal(counters_add(&total, &a, &b), 0);
    assert_int_equal(counters_add(&total, NULL, &b), 0);
    assert_int_equal(total.count, 2);
    assert_int_equal(total.items[0].samples, 2 + 7);
    assert_int_equal(total.items[0].sum, 300 + 800);
    assert_int_equal(total.items[1].samples, 3 + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_survive_being_packed),
        cmocka_unit_test(the_order_of_printing_does_not_matter),
        cmocka_unit_test(old_and_new_names_of_one_counter_are_one),
        cmocka_unit_test(a_sum_of_usecs_may_fall),
        cmocka_unit_test(totals_grow_by_what_is_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
