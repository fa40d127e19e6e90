/* SPDX-License-Identifier: Apache-2.0 */
/* test_ledger - the SQL that both engines make from a ledger's description. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "records/tables/ledger.h"

static const struct scalar_column columns[] = {
    { "cluster", SCALAR_TEXT }, { "id", SCALAR_I64 },      { "load", SCALAR_DOUBLE },
    { "user", SCALAR_TEXT },    { "told_ms", SCALAR_I64 },
};

static const struct ledger ledger = {
    .table = "things",
    .columns = columns,
    .column_count = COUNT_OF(columns),
    .key_count = 2,
    .indices = "CREATE INDEX things_user ON things (\"user\");",
};

static void a_table_has_its_key_and_its_time_not_null(void **state)
{
    (void)state;
    static const char *const types[] = {
        [SCALAR_TEXT] = "TEXT", [SCALAR_I64] = "INTEGER", [SCALAR_DOUBLE] = "REAL"
    };
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    ledger_add_table(&sql, &ledger, types);
    assert_string_equal(strbuf_text(&sql),
                        "CREATE TABLE things (\"cluster\" TEXT NOT NULL, "
                        "\"id\" INTEGER NOT NULL, \"load\" REAL, \"user\" TEXT, "
                        "\"told_ms\" INTEGER NOT NULL, "
                        "PRIMARY KEY (\"cluster\", \"id\"));"
                        "CREATE INDEX things_user ON things (\"user\");");
}

static void a_row_replaces_the_one_of_its_key(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    ledger_add_insert(&sql, &ledger);
    ledger_add_conflict(&sql, &ledger);
    assert_string_equal(
        strbuf_text(&sql),
        "INSERT INTO things (\"cluster\", \"id\", \"load\", \"user\", \"told_ms\") "
        "ON CONFLICT (\"cluster\", \"id\") DO UPDATE SET "
        "\"load\" = excluded.\"load\", \"user\" = excluded.\"user\", "
        "\"told_ms\" = excluded.\"told_ms\"");
}

static void a_query_numbers_its_values_wherever_they_stand(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct ledger_term terms[4];
        size_t term_count, limit;
        const char *want;
    } cases[] = {
        { "everything", { { 0 } }, 0, 0, " FROM things ORDER BY id" },
        { "one value in two places",
          { { .sql = "(id = @ OR raw = @)" } },
          1,
          0,
          " FROM things WHERE (id = $1 OR raw = $1) ORDER BY id" },
        { "two values and a limit",
          { { .sql = "cluster = @" }, { .sql = "id > @" } },
          2,
          7,
          " FROM things WHERE cluster = $1 AND id > $2 ORDER BY id LIMIT 7" },
        { "alternatives among others",
          { { .sql = "a = @" },
            { .sql = "b = @" },
            { .sql = "c = @", .is_alternative = true },
            { .sql = "d = @" } },
          4,
          0,
          " FROM things WHERE a = $1 AND (b = $2 OR c = $3) AND d = $4 ORDER BY id" },
        { "alternatives alone",
          { { .sql = "a = @" },
            { .sql = "b = @", .is_alternative = true },
            { .sql = "c = @", .is_alternative = true } },
          3,
          0,
          " FROM things WHERE (a = $1 OR b = $2 OR c = $3) ORDER BY id" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
        const struct ledger_query query = { .ledger = &ledger,
                                            .terms = cases[i].terms,
                                            .term_count = cases[i].term_count,
                                            .order = "id",
                                            .limit = cases[i].limit };
        ledger_add_select(&sql, &query);
        const char *from = strstr(strbuf_text(&sql), " FROM");
        if (!from || strcmp(from, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].name, strbuf_text(&sql));
    }
}

static void what_is_dropped_is_older_by_its_end_or_by_what_else_is_known(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    ledger_add_drop(&sql, &ledger, -5);
    assert_string_equal(
        strbuf_text(&sql),
        "DELETE FROM things WHERE (coalesce(end_ns, 9223372036854775807) < -5 OR "
        "(coalesce(end_ns, 9223372036854775807) = 9223372036854775807 AND "
        "coalesce(nullif(start_ns, 0), told_ms * 1000000) < -5))");
}

static void a_view_leaves_the_time_of_submission_out(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    ledger_add_view_names(&sql, &ledger);
    assert_string_equal(strbuf_text(&sql), "\"cluster\", \"id\", \"load\", \"user\"");
}

static void a_wrong_clock_names_the_table(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_int_equal(ledger_says_wrong_clock(&ledger, &err), -ERANGE);
    assert_non_null(strstr(err.text, "things"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_its_key_and_its_time_not_null),
        cmocka_unit_test(a_row_replaces_the_one_of_its_key),
        cmocka_unit_test(a_query_numbers_its_values_wherever_they_stand),
        cmocka_unit_test(what_is_dropped_is_older_by_its_end_or_by_what_else_is_known),
        cmocka_unit_test(a_view_leaves_the_time_of_submission_out),
        cmocka_unit_test(a_wrong_clock_names_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
