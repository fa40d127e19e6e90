/* SPDX-License-Identifier: Apache-2.0 */
/* test_origins - the last publication of each rank that published. */
#include "session/origins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void each_rank_has_its_last(void **state)
{
    (void)state;
    struct origins origins = { 0 };
    assert_int_equal(origins_find(&origins, 7).publication, 0);
    for (uint32_t round = 1; round <= 3; round++)
        for (uint32_t rank = 0; rank < 131072; rank += 13) {
            const struct event_origin seen = { rank, rank + round, round };
            assert_int_equal(origins_set(&origins, &seen), 0);
        }
    assert_int_equal(origins.count, 131072 / 13 + 1);
    for (uint32_t rank = 0; rank < 131072; rank++) {
        struct event_origin last = origins_find(&origins, rank);
        assert_int_equal(last.publication, rank % 13 ? 0 : 3);
        if (rank % 13 == 0)
            assert_int_equal(last.boot, rank + 3);
    }
    origins_done(&origins);
}

/* A node of a session of 100,000 has memory for those that published alone. */
static void few_publishers_need_little(void **state)
{
    (void)state;
    struct origins origins = { 0 };
    for (uint32_t rank = 1; rank <= 10; rank++) {
        const struct event_origin seen = { rank * 9999, 1, rank };
        assert_int_equal(origins_set(&origins, &seen), 0);
    }
    assert_true(origins.capacity <= 16);
    origins_done(&origins);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rank_has_its_last),
        cmocka_unit_test(few_publishers_need_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
