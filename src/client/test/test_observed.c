/* SPDX-License-Identifier: Apache-2.0 */
/* test_observed - what this process observed itself, as a table of who did most. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "client/observed.h"

/* Of now: what is older than some minutes is not in the table. */
#define T0 t0_ms
static int64_t t0_ms;

static void add(struct observed *observed, const char *id, int64_t t_ms,
                int64_t since_ms, uint64_t bytes)
{
    struct entry entry = { .target = SPAN("s-OST0001"),
                           .kind = TARGET_OST,
                           .id = span_of(id),
                           .flags = ENTRY_ID_QUOTED,
                           .snapshot_ns = t_ms * NS_PER_MS,
                           .start_ns = T_NONE,
                           .elapsed_ns = T_NONE,
                           .op_count = 1 };
    entry.ops[0] = (struct op_stat){ .name = SPAN("write_bytes"),
                                     .unit_text = SPAN("bytes"),
                                     .unit = OP_UNIT_BYTES,
                                     .has = OP_HAS_SAMPLES | OP_HAS_SUM,
                                     .samples = 1,
                                     .sum = bytes };
    const struct observation seen = { .t_ms = t_ms,
                                      .since_ms = since_ms,
                                      .previous_ms = since_ms };
    assert_int_equal(observed_add(observed, SPAN("oss01"), &entry, &seen), 0);
}

static void top_of(const struct observed *observed, struct selection *sel,
                   struct table *table)
{
    struct err err = { 0 };
    table_init(table);
    selection_init(sel, T0 + 30000);
    if (observed_top(observed, sel, table, &err) < 0)
        fail_msg("%s", err.text);
}

static void the_window_begins_with_the_first_round(void **state)
{
    (void)state;
    AUTO(site_free) struct site *site = NULL;
    AUTO(observed_free) struct observed *observed = NULL;
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    assert_int_equal(site_new(NULL, &site, &err), 0);
    assert_int_equal(observed_new(site, &observed), 0);
    observed_round(observed, T0);
    add(observed, "a.1", T0, T_NONE, 10);
    add(observed, "b.1", T0, T_NONE, 10);
    observed_round(observed, T0 + 30000);
    add(observed, "a.1", T0 + 30000, T0, 3010);
    top_of(observed, &sel, &table);
    assert_int_equal(sel.from_ms, T0);
    assert_int_equal(sel.to_ms, T0 + 30000);
    assert_int_equal(sel.last_ms, 0);
    assert_true(table.row_count >= 1);
}

static void nothing_observed_is_an_empty_table(void **state)
{
    (void)state;
    AUTO(site_free) struct site *site = NULL;
    AUTO(observed_free) struct observed *observed = NULL;
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    assert_int_equal(site_new(NULL, &site, &err), 0);
    assert_int_equal(observed_new(site, &observed), 0);
    top_of(observed, &sel, &table);
    assert_int_equal(table.row_count, 0);
    observed_free(NULL);
}

int main(void)
{
    t0_ms = clock_now_ms() / MS_PER_S * MS_PER_S - 60 * MS_PER_S;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_begins_with_the_first_round),
        cmocka_unit_test(nothing_observed_is_an_empty_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
