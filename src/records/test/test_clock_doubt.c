/* SPDX-License-Identifier: Apache-2.0 */
/* test_clock_doubt - is the clock of a batch wrong, or that of the server? */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "records/clock_doubt.h"

static void the_newest_row_of_a_batch_tells_the_time(void **state)
{
    (void)state;
    static const int64_t batches[][3] = { { 5, 9, 7 }, { 9, 7, 5 }, { 5, 7, 9 } };
    for (size_t i = 0; i < COUNT_OF(batches); i++) {
        struct records records = { .witness_ms = T_NONE };
        struct jobrow told[3] = { 0 };
        struct keyed_row rows[3] = { 0 };
        for (size_t k = 0; k < 3; k++) {
            told[k].t_ms = batches[i][k];
            rows[k].row = &told[k];
        }
        clock_doubt_note(&records, rows, 3);
        assert_int_equal(records.witness_ms, 9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_row_of_a_batch_tells_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
