/* SPDX-License-Identifier: Apache-2.0 */
/* test_series_row - a series as a row, and the filter as conditions. */
#include "records/engine/series_row.h"

#include "base/span.h"
#include "base/test/testing.h"
#include "records/engine/test/scripted.h"

static const struct uuid id = { .bytes = { 9, 8, 7 } };

#define ROW_OF(sid, target)                                                        \
    {                                                                              \
        CELL_NUMBER(sid), { .uuid = &id }, CELL_TEXT("scratch"), CELL_TEXT(target) \
    }

static void every_column_of_a_series_is_read(void **state)
{
    (void)state;
    static const struct scripted_cell cells[SCRIPTED_COLUMNS_MAX] = {
        CELL_NUMBER(5),
        { .uuid = &id },
        CELL_TEXT("scratch"),
        CELL_TEXT("MDT0"),
        CELL_TEXT("mdt"),
        CELL_TEXT("a?b"),
        CELL_TEXT("a\xff"
                  "b"),
        CELL_TEXT("format"),
        CELL_TEXT("job"),
        CELL_TEXT("user"),
        CELL_TEXT("group"),
        CELL_TEXT("node"),
        CELL_TEXT("a.out"),
        CELL_TEXT("17"),
        CELL_NUMBER(6),
        CELL_NUMBER(1),
    };
    const struct sql_row row = scripted_row(cells);
    struct series s;
    assert_int_equal(series_row_read(&row, &s), 0);
    assert_int_equal(s.sid, 5);
    assert_memory_equal(&s.id, &id, sizeof id);
    assert_true(span_is(s.fs, "scratch") && span_is(s.target, "MDT0"));
    assert_int_equal(s.kind, TARGET_MDT);
    assert_true(span_is(s.entry_id, "a\xff"
                                    "b")); /* the bytes, where there are any */
    assert_true(span_is(s.format, "format") && span_is(s.job, "job"));
    assert_true(span_is(s.user, "user") && span_is(s.group, "group"));
    assert_true(span_is(s.node, "node") && span_is(s.executable, "a.out"));
    assert_true(span_is(s.pid, "17"));
    assert_int_equal(s.flags, 6);
    assert_true(s.is_login);
}

static void an_identifier_without_bytes_is_its_text(void **state)
{
    (void)state;
    static const struct scripted_cell cells[SCRIPTED_COLUMNS_MAX] = {
        CELL_NUMBER(5),    { .uuid = &id },  CELL_TEXT("scratch"),
        CELL_TEXT("OST0"), CELL_TEXT("ost"), CELL_TEXT("abc")
    };
    const struct sql_row row = scripted_row(cells);
    struct series s;
    assert_int_equal(series_row_read(&row, &s), 0);
    assert_true(span_is(s.entry_id, "abc"));
    assert_int_equal(s.kind, TARGET_OST);
    assert_null(s.job.data);
    assert_false(s.is_login);
}

static void a_series_without_its_id_is_an_error(void **state)
{
    (void)state;
    static const struct scripted_cell cells[SCRIPTED_COLUMNS_MAX] = { CELL_NUMBER(5) };
    const struct sql_row row = scripted_row(cells);
    struct series s = { .sid = 77 };
    assert_int_equal(series_row_read(&row, &s), -EIO);
    assert_int_equal(s.sid, 77); /* untouched */
}

static void bytes_are_stored_beside_the_text_only_where_they_differ(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct span fields[SERIES_FIELD_COUNT];
    struct series s = { .kind = TARGET_OST,
                        .fs = SPAN("scratch"),
                        .target = SPAN("OST1"),
                        .entry_id = SPAN("dd.0"),
                        .job = SPAN("4711"),
                        .pid = SPAN("3") };
    assert_int_equal(series_fields(&s, &text, fields), 0);
    assert_true(span_is(fields[0], "scratch") && span_is(fields[1], "OST1"));
    assert_true(span_is(fields[2], "ost") && span_is(fields[3], "dd.0"));
    assert_null(fields[SERIES_FIELD_ENTRY_BYTES].data);
    assert_true(span_is(fields[6], "4711"));
    assert_true(span_is(fields[SERIES_FIELD_COUNT - 1], "3"));
    s.entry_id = SPAN("dd\x01");
    assert_int_equal(series_fields(&s, &text, fields), 0);
    assert_false(span_eq(fields[3], s.entry_id));
    assert_true(span_eq(fields[SERIES_FIELD_ENTRY_BYTES], s.entry_id));
}

static void a_filter_becomes_numbered_conditions(void **state)
{
    (void)state;
    AUTO(hostset_free) struct hostset *nodes = NULL;
    assert_int_equal(hostset_parse(SPAN("e[1-2]"), &nodes, NULL), 0);
    const struct {
        struct series_filter filter;
        const char *sql;
        const char *values[SERIES_TERMS_MAX];
    } cases[] = {
        { { .limit = 5, .target = "*" }, "", { NULL } },
        { { .fs = SPAN("a") }, " AND fs = $1", { "a" } },
        { { .fs = SPAN("") }, " AND fs = $1", { "" } }, /* empty is a value */
        { { .fs = SPAN("a"),
            .job = SPAN("b"),
            .user = SPAN("c"),
            .group = SPAN("d"),
            .node = SPAN("e"),
            .executable = SPAN("f"),
            .entry_id = SPAN("g") },
          " AND entry_id = $1 AND fs = $2 AND job_id = $3 AND user_id = $4 AND "
          "group_id = $5 AND nodename = $6 AND executable = $7",
          { "g", "a", "b", "c", "d", "e", "f" } },
        { { .node = SPAN("e[1-2]"), .nodes = nodes }, "", { NULL } }, /* row by row */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
        AUTO(series_terms_done) struct series_terms terms = { .entry = STRBUF_INIT };
        assert_int_equal(series_terms_add(&sql, &cases[i].filter, &terms), 0);
        assert_string_equal(strbuf_text(&sql), cases[i].sql);
        for (size_t v = 0; v < terms.count; v++)
            assert_true(span_is(terms.values[v].text, cases[i].values[v]));
    }
}

struct found {
    int64_t sids[8];
    size_t count;
    int returns;
};

static int found_add(void *arg, const struct series *series)
{
    struct found *found = arg;
    found->sids[found->count++] = series->sid;
    return found->returns;
}

static const struct scripted_cell three[][SCRIPTED_COLUMNS_MAX] = {
    ROW_OF(1, "scratch-OST0001"),
    ROW_OF(2, "scratch-OST0002"),
    ROW_OF(3, "home-OST0001"),
};

static void target_and_limit_choose_among_the_rows(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        size_t limit;
        size_t count;
        int64_t last;
        size_t given; /* one beyond the limit ends it */
    } cases[] = {
        { NULL, 0, 3, 3, 3 },   { "scratch-*", 0, 2, 2, 3 }, { "*1", 0, 2, 3, 3 },
        { NULL, 1, 1, 1, 2 },   { NULL, 3, 3, 3, 3 },        { "*1", 1, 1, 1, 3 },
        { "none", 0, 0, 0, 3 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(scripted_done)
        struct scripted script = { .rows = three, .row_count = COUNT_OF(three) };
        const struct sql_conn conn = scripted_conn(&script);
        const struct series_filter filter = { .target = cases[i].target,
                                              .limit = cases[i].limit };
        struct found found = { 0 };
        struct series_rows read = { .filter = &filter, .fn = found_add, .arg = &found };
        assert_int_equal(sql_run(&conn, "", NULL, 0, series_rows_read, &read, NULL), 0);
        assert_int_equal(found.count, cases[i].count);
        assert_int_equal(found.count ? found.sids[found.count - 1] : 0, cases[i].last);
        assert_int_equal(script.given, cases[i].given);
        assert_true(series_rows_are_enough(&read) ==
                    (cases[i].limit && cases[i].limit == cases[i].count));
    }
}

static void an_error_of_the_reader_ends_the_reading(void **state)
{
    (void)state;
    AUTO(scripted_done)
    struct scripted script = { .rows = three, .row_count = COUNT_OF(three) };
    const struct sql_conn conn = scripted_conn(&script);
    const struct series_filter filter = { 0 };
    struct found found = { .returns = -EPIPE };
    struct series_rows read = { .filter = &filter, .fn = found_add, .arg = &found };
    assert_int_equal(sql_run(&conn, "", NULL, 0, series_rows_read, &read, NULL),
                     -EPIPE);
    assert_int_equal(found.count, 1);
}

static void a_damaged_series_is_reported(void **state)
{
    (void)state;
    static const struct scripted_cell cells[SCRIPTED_COLUMNS_MAX] = { CELL_NUMBER(5) };
    const struct sql_row row = scripted_row(cells);
    const struct series_filter filter = { 0 };
    struct err err = { 0 };
    struct found found = { 0 };
    struct series_rows read = {
        .filter = &filter, .fn = found_add, .arg = &found, .err = &err
    };
    assert_int_equal(series_rows_read(&read, &row), -EIO);
    assert_non_null(strstr(err.text, "time_series_id"));
    assert_int_equal(found.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_of_a_series_is_read),
        cmocka_unit_test(an_identifier_without_bytes_is_its_text),
        cmocka_unit_test(a_series_without_its_id_is_an_error),
        cmocka_unit_test(bytes_are_stored_beside_the_text_only_where_they_differ),
        cmocka_unit_test(a_filter_becomes_numbered_conditions),
        cmocka_unit_test(target_and_limit_choose_among_the_rows),
        cmocka_unit_test(an_error_of_the_reader_ends_the_reading),
        cmocka_unit_test(a_damaged_series_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
