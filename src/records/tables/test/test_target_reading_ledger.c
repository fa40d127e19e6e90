/* SPDX-License-Identifier: Apache-2.0 */
/* test_target_reading_ledger - a reading becomes a row, and a row a reading; what one
 * adds to another is united. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "records/tables/target_reading_ledger.h"

static const struct target_reading space = { .target = SPAN("s-OST0001"),
                                             .t_ns = 1000,
                                             .mount = SPAN("/s"),
                                             .has_space = true,
                                             .total_kib = 10,
                                             .used_kib = 4,
                                             .available_kib = 6 };
static const struct target_reading server = { .target = SPAN("s-OST0001"),
                                              .t_ns = 1000,
                                              .server = SPAN("oss1@tcp"),
                                              .is_inactive = true };

static void a_reading_comes_back_as_it_was_submitted(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    struct target_reading back;
    arena_init(&arena, 0);
    target_reading_ledger_reading(target_reading_ledger_row(&space, 9, &arena), &back);
    assert_true(span_is(back.target, "s-OST0001") && span_is(back.mount, "/s"));
    assert_true(back.has_space && back.used_kib == 4 && back.available_kib == 6);
    assert_true(back.server.size == 0 && !back.is_inactive && back.t_ns == 1000);
    target_reading_ledger_reading(target_reading_ledger_row(&server, 9, &arena), &back);
    assert_true(!back.has_space && span_is(back.server, "oss1@tcp"));
    assert_true(back.is_inactive);
}

static void a_key_is_never_missing(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    arena_init(&arena, 0);
    const struct scalar *row = target_reading_ledger_row(&space, 9, &arena);
    for (size_t i = 0; i < ledger_target_readings.key_count; i++)
        assert_true(row[i].is_present);
}

static void what_is_stored_stays_and_what_it_lacks_is_added(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    struct target_reading back, other = space;
    arena_init(&arena, 0);
    other.used_kib = 9;
    const struct scalar *stored = target_reading_ledger_row(&space, 1, &arena);
    const struct scalar *row = ledger_target_readings.unite(
        stored, target_reading_ledger_row(&server, 2, &arena), &arena);
    row = ledger_target_readings.unite(
        row, target_reading_ledger_row(&other, 3, &arena), &arena);
    target_reading_ledger_reading(row, &back);
    assert_int_equal(back.used_kib, 4);
    assert_true(span_is(back.server, "oss1@tcp") && span_is(back.mount, "/s"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reading_comes_back_as_it_was_submitted),
        cmocka_unit_test(a_key_is_never_missing),
        cmocka_unit_test(what_is_stored_stays_and_what_it_lacks_is_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
