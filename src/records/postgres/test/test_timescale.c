/* SPDX-License-Identifier: Apache-2.0 */
/* test_timescale - the statements that TimescaleDB is sent. */
#include "base/file.h"
#include "base/test/testing.h"
#include "records/postgres/schema_sql.h"

/* What would be sent to TimescaleDB, which this test cannot start: any change of it has
 * to be seen by a person. */
static void statements_for_timescale_are_the_golden_ones(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf golden = STRBUF_INIT;
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        pg_hypertable_sql(&sql, (enum target_kind)kind);
        pg_compression_sql(&sql, (enum target_kind)kind);
        pg_retention_policy_sql(&sql, (enum target_kind)kind);
        pg_compression_policy_sql(&sql, (enum target_kind)kind, 7 * INT64_C(86400));
        pg_compression_policy_sql(&sql, (enum target_kind)kind, 0);
    }
    struct err err = { 0 };
    if (file_read(TIMESCALE_SQL, 1 << 20, &golden, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&sql), strbuf_text(&golden));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_for_timescale_are_the_golden_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
