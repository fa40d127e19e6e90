/* SPDX-License-Identifier: Apache-2.0 */
/* test_user_names - names of a query become numbers, numbers of a result get names. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/jobs/user_names.h"

#define DAY_NS (INT64_C(86400) * NS_PER_S)
#define T(days) ((20000 + (days)) * DAY_NS)

static const struct id_name stored[] = {
    { ID_USER, SPAN("alex"), SPAN("1001"), SPAN("bob"), T(0), T(10) },
    { ID_USER, SPAN("alex"), SPAN("1001"), SPAN("alice"), T(100), T(110) },
    { ID_USER, SPAN("fritz"), SPAN("2001"), SPAN("alice"), T(100), T(110) },
    { ID_GROUP, SPAN("alex"), SPAN("100"), SPAN("phys"), T(0), T(110) },
};

static int fail_with;

static int find_names(void *arg, const struct id_name_filter *filter,
                      records_id_name_fn *fn, void *fn_arg, struct err *err)
{
    (void)arg;
    int rc = fail_with ? err_set(err, -fail_with, "the database is away") : 0;
    for (size_t i = 0; i < COUNT_OF(stored) && rc == 0; i++) {
        bool fits = stored[i].kind == filter->kind && !filter->numbers;
        for (size_t k = 0; k < filter->number_count; k++)
            fits |= stored[i].kind == filter->kind &&
                    span_eq(stored[i].number, filter->numbers[k]);
        if (fits && (!filter->name.data || span_eq(filter->name, stored[i].name)))
            rc = fn(fn_arg, &stored[i]);
    }
    return rc;
}

static const struct history history = { .find_names = find_names };

/* "1001 2001" of words, with the notes behind " | ". */
static void resolved(const char *user, int64_t from_day, int64_t to_day,
                     struct strbuf *out)
{
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    selection_init(&sel, 0);
    table_init(&table);
    strbuf_clear(out);
    assert_int_equal(selection_set(&sel, SPAN("user"), span_of(user), &err), 0);
    if (to_day) {
        sel.from_ms = T(from_day) / NS_PER_MS;
        sel.to_ms = T(to_day) / NS_PER_MS;
    }
    if (user_names_resolve(&history, &sel, &table, &err) < 0)
        fail_msg("%s", err.text);
    if (!sel.filter.users)
        strbuf_adds(out, "-");
    for (size_t i = 0; i < sel.filter.user_count; i++)
        strbuf_addf(out, "%s" SPAN_FMT, i ? " " : "", SPAN_ARG(sel.filter.users[i]));
    for (size_t i = 0; i < table.note_count; i++)
        strbuf_addf(out, " | %s", table.notes[i]);
}

static void a_name_is_every_number_that_bore_it_in_the_window(void **state)
{
    (void)state;
    const struct {
        const char *user;
        int64_t from_day, to_day;
        const char *want;
    } cases[] = {
        { "alice", 101, 105, "1001 2001" },
        { "alice", 500, 510, "1001 2001" }, /* seen no more: still the last names */
        { "alice", 20, 50, "2001" },        /* 1001 was bob's until alice was seen */
        { "bob", 1, 2, "1001" },
        { "bob", 50, 60, "1001" },
        { "bob", 120, 130,
          " | no user called 'bob' was seen in that time; there are bob (1001), alice "
          "(1001), alice (2001)" },
        { "bob", 50, 105,
          "1001 | user 1001 was 'alice', too, in that time: what both did is here" },
        { "bob", 0, 0,
          "1001 | user 1001 was 'alice', too, in that time: what both did is here" },
        { "1001", 0, 0, "-" },
        { "carol", 0, 0,
          " | no user called 'carol' was seen in that time; there are bob (1001), "
          "alice (1001), alice (2001)" },
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        resolved(cases[i].user, cases[i].from_day, cases[i].to_day, &out);
        if (strcmp(strbuf_text(&out), cases[i].want) != 0)
            fail_msg("case %zu: %s", i, strbuf_text(&out));
    }
}

static void groups_have_names_too(void **state)
{
    (void)state;
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    selection_init(&sel, 0);
    table_init(&table);
    assert_int_equal(selection_set(&sel, SPAN("group"), SPAN("phys"), NULL), 0);
    assert_int_equal(user_names_resolve(&history, &sel, &table, NULL), 0);
    assert_int_equal(sel.filter.group_count, 1);
    assert_true(span_is(sel.filter.groups[0], "100"));
    assert_null(sel.filter.users);
}

static void without_a_database_a_name_is_refused_and_a_number_is_not(void **state)
{
    (void)state;
    const struct history nameless = { 0 };
    const struct history *const without[] = { NULL, &nameless };
    for (size_t i = 0; i < COUNT_OF(without); i++) {
        AUTO(selection_done) struct selection sel;
        AUTO(table_done) struct table table;
        struct err err = { 0 };
        selection_init(&sel, 0);
        table_init(&table);
        assert_int_equal(selection_set(&sel, SPAN("user"), SPAN("alice"), NULL), 0);
        assert_int_equal(user_names_resolve(without[i], &sel, &table, &err), -EINVAL);
        assert_non_null(strstr(err.text, "give the number"));
        assert_int_equal(selection_set(&sel, SPAN("user"), SPAN("1001"), NULL), 0);
        assert_int_equal(user_names_resolve(without[i], &sel, &table, &err), 0);
    }
}

static void fill(struct table *table, bool has_to)
{
    static const struct {
        struct span user;
        int64_t day;
    } rows[] = {
        { SPAN("1001"), 5 }, { SPAN("1001"), 105 }, { SPAN("7"), 5 }, { { 0 }, 5 }
    };
    table_init(table);
    table_add_column(table, "user", TABLE_TEXT, "");
    if (has_to)
        table_add_column(table, "to", TABLE_TIME, "");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        table_add_row(table);
        table_set_text(table, 0, rows[i].user);
        if (has_to)
            table_set_i64(table, 1, T(rows[i].day) / NS_PER_MS);
    }
}

static void check_names(const struct table *table, const char *const want[4])
{
    assert_int_equal(table_find_column(table, "user_name"), 1);
    assert_int_equal(table_find_column(table, "group_name"), -1);
    for (size_t i = 0; i < 4; i++) {
        const struct table_cell *cell = table_at(table, i, 1);
        assert_true(cell->is_null == !want[i]);
        if (want[i])
            assert_string_equal(cell->text, want[i]);
    }
}

static void rows_have_the_names_of_their_time(void **state)
{
    (void)state;
    AUTO(table_done) struct table dated;
    AUTO(table_done) struct table plain;
    fill(&dated, true);
    user_names_add(&history, T(105) / NS_PER_MS, &dated);
    check_names(&dated, (const char *const[]){ "bob", "alice", NULL, NULL });
    fill(&plain, false);
    user_names_add(&history, T(105) / NS_PER_MS, &plain);
    check_names(&plain, (const char *const[]){ "alice", "alice", NULL, NULL });
}

static void a_database_that_is_away_costs_the_names_only(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    AUTO(table_done) struct table alone;
    fill(&table, false);
    fail_with = -EIO;
    user_names_add(&history, T(105) / NS_PER_MS, &table);
    fail_with = 0;
    check_names(&table, (const char *const[]){ NULL, NULL, NULL, NULL });
    fill(&alone, false);
    user_names_add(NULL, T(105) / NS_PER_MS, &alone);
    check_names(&alone, (const char *const[]){ NULL, NULL, NULL, NULL });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_every_number_that_bore_it_in_the_window),
        cmocka_unit_test(groups_have_names_too),
        cmocka_unit_test(without_a_database_a_name_is_refused_and_a_number_is_not),
        cmocka_unit_test(rows_have_the_names_of_their_time),
        cmocka_unit_test(a_database_that_is_away_costs_the_names_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
