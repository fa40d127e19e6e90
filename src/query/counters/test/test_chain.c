/* SPDX-License-Identifier: Apache-2.0 */
/* test_chain - which row each row goes on from. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/counters/chain.h"
#include "query/counters/increment.h"

static struct jobrow make(const char *server, int64_t t_ms, int64_t previous_ms,
                          uint64_t bytes)
{
    struct jobrow row = { .server = span_of(server),
                          .t_ms = t_ms,
                          .since_ms = previous_ms,
                          .previous_ms = previous_ms,
                          .reset = RESET_NO,
                          .snapshot_ns = bytes ? 1 : T_NONE,
                          .start_ns = T_NONE };
    row.has_sum = UINT64_C(1) << OP_WRITE_BYTES;
    row.sum[OP_WRITE_BYTES] = bytes;
    return row;
}

static uint64_t add(struct chain *chain, struct jobrow row)
{
    struct increment inc;
    increment_between(chain_before(chain, &row), &row, &inc);
    chain_add(chain, &row);
    return inc.flags & INCREMENT_UNKNOWN ? 0 : inc.sum[OP_WRITE_BYTES];
}

static void a_server_goes_on_where_it_was(void **state)
{
    (void)state;
    static struct chain chain;
    chain_clear(&chain);
    assert_int_equal(add(&chain, make("oss01", 100, T_NONE, 0)), 0);
    assert_int_equal(add(&chain, make("oss01", 220, 100, 1000)), 1000);
    assert_int_equal(add(&chain, make("oss01", 340, 220, 1500)), 500);
}

static void rows_of_two_servers_may_stand_mixed(void **state)
{
    (void)state;
    static struct chain chain;
    chain_clear(&chain);
    (void)add(&chain, make("oss01", 100, T_NONE, 0));
    assert_int_equal(add(&chain, make("oss01", 200, 100, 1000)), 1000);
    /* The zero record of the new server stands before the last row of the old one. */
    assert_int_equal(add(&chain, make("oss02", 250, T_NONE, 0)), 0);
    assert_int_equal(add(&chain, make("oss01", 300, 200, 1300)), 300);
    assert_int_equal(add(&chain, make("oss02", 400, 250, 70)), 70);
    assert_int_equal(add(&chain, make("oss02", 500, 400, 90)), 20);
}

/* The clock of oss01 was set back from 900 to 300: a base, and rows that follow it. */
static void rows_of_two_orders_of_time_may_stand_mixed(void **state)
{
    (void)state;
    static struct chain chain;
    chain_clear(&chain);
    (void)add(&chain, make("oss01", 100, T_NONE, 0));
    assert_int_equal(add(&chain, make("oss01", 220, 100, 1000)), 1000);
    struct jobrow base = make("oss01", 281, 281, 5000);
    base.since_ms = T_NONE;
    assert_int_equal(add(&chain, base), 0);
    assert_int_equal(add(&chain, make("oss01", 340, 220, 2000)), 1000);
    assert_int_equal(add(&chain, make("oss01", 401, 281, 5500)), 500);
    assert_int_equal(add(&chain, make("oss01", 460, 340, 4000)), 2000);
    assert_int_equal(add(&chain, make("oss01", 521, 401, 5700)), 200);
    assert_int_equal(add(&chain, make("oss01", 580, 460, 5000)), 1000);
    assert_int_equal(add(&chain, make("oss01", 1000, 521, 5800)), 100);
}

static void a_neighbour_newer_than_what_a_row_follows_is_not_believed(void **state)
{
    (void)state;
    static struct chain chain;
    chain_clear(&chain);
    (void)add(&chain, make("oss01", 100, T_NONE, 0));
    assert_int_equal(add(&chain, make("oss01", 220, 100, 1000)), 1000);
    struct jobrow stray = make("oss01", 300, 150, 900000);
    struct increment inc;
    stray.start_ns = 5; /* tells nothing of what was counted already */
    increment_between(chain_before(&chain, &stray), &stray, &inc);
    assert_int_equal(inc.flags, INCREMENT_UNKNOWN);
}

static void a_lost_row_does_not_tie_two_servers(void **state)
{
    (void)state;
    static struct chain chain;
    chain_clear(&chain);
    (void)add(&chain, make("oss01", 100, T_NONE, 0));
    (void)add(&chain, make("oss01", 200, 100, 1000));
    assert_int_equal(add(&chain, make("oss02", 300, 250, 5000)), 5000);
    /* Back on the first server, whose row in between was lost: a new life. */
    assert_int_equal(add(&chain, make("oss01", 500, 400, 1200)), 1200);
}

static void more_servers_than_there_is_room_for_are_forgotten(void **state)
{
    (void)state;
    static struct chain chain;
    static const char *const names[] = { "a", "b", "c", "d", "e",
                                         "f", "g", "h", "i", "j" };
    chain_clear(&chain);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        (void)add(&chain, make(names[i], 100 + (int64_t)i * 10, T_NONE, 0));
    assert_int_equal(chain.count, CHAIN_SERVERS_MAX);
    assert_int_equal(add(&chain, make("j", 300, 190, 10)), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_goes_on_where_it_was),
        cmocka_unit_test(rows_of_two_servers_may_stand_mixed),
        cmocka_unit_test(rows_of_two_orders_of_time_may_stand_mixed),
        cmocka_unit_test(a_neighbour_newer_than_what_a_row_follows_is_not_believed),
        cmocka_unit_test(a_lost_row_does_not_tie_two_servers),
        cmocka_unit_test(more_servers_than_there_is_room_for_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
