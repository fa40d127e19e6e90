/* SPDX-License-Identifier: Apache-2.0 */
/* test_schema - versions, columns, and counters in signed integers. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "records/tables/tables.h"

static void counters_keep_their_bits(void **state)
{
    (void)state;
    static const uint64_t values[] = { 0, 1, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX };
    for (size_t i = 0; i < COUNT_OF(values); i++)
        assert_true(counter_from_db(counter_to_db(values[i])) == values[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_keep_their_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
