/* SPDX-License-Identifier: Apache-2.0 */
/* test_table - series out of a table of CSV or a database, by a mapping. */
#include "client/series/test/series_texts.h"

#include "base/span.h"
#include "client/series/open.h"
#include "client/series/table.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#define READ "[measure datatargets/readbytes]\n"

static void on_log(void *arg, const char *text)
{
    strbuf_addf(arg, "%s\n", text);
}

/* The series of a mapping's text and a table's, which is called csv. */
static int table_open(const char *map, const char *source, int64_t offset_s,
                      struct strbuf *log, struct lmt_series **ret, struct err *err)
{
    char what[512];
    const struct series_opts way = { .log = log ? on_log : NULL, .log_arg = log };
    const struct lmt_opts opts = { .clock_offset_s = offset_s };
    text_write("table.conf", map);
    (void)snprintf(what, sizeof what, "map:%s:%s", scratch_path("table.conf"), source);
    return series_open(what, &way, &opts, ret, err);
}

static int csv_open_text(const char *map, const char *csv, int64_t offset_s,
                         struct strbuf *log, struct lmt_series **ret, struct err *err)
{
    text_write("table.csv", csv);
    return table_open(map, scratch_path("table.csv"), offset_s, log, ret, err);
}

/* "ost0: 1 2 -", a line a component, of the window [1000, 1020). */
static void grid_print(struct lmt_series *series, struct strbuf *out)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    struct err err = { 0 };
    lmt_grid_init(&grid, 1000, 1020);
    if (lmt_series_read(series, LMT_READ_BYTES, &grid, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t c = 0; c < grid.column_count; c++) {
        strbuf_addf(out, "%s:", grid.columns[c]);
        for (size_t row = 0; row < grid.row_count; row++) {
            double value = *lmt_grid_at(&grid, row, c);
            strbuf_addf(out, isnan(value) ? " -" : " %g", value);
        }
        strbuf_addc(out, '\n');
    }
}

static void a_column_is_what_its_kind_makes_it(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *at, *want;
        int64_t offset_s;
    } cases[] = {
        { "count", "start", "a: 10 20 40 80\n", 0 },
        { "count", "end", "a: 20 40 80 -\n", 0 },
        { "rate", "start", "a: 50 100 200 400\n", 0 },
        { "rate", "end", "a: 100 200 400 -\n", 0 },
        { "counter", "start", "a: 10 20 40 -\n", 0 },
        { "counter", "end", "a: 10 20 40 -\n", 0 },
        { "count", "start", "a: - 10 20 40\n", 5 },
        { "count", "start", "a: 20 40 80 -\n", -5 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(lmt_series_close) struct lmt_series *series = NULL;
        AUTO(strbuf_done) struct strbuf map = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
        struct err err = { 0 };
        strbuf_addf(&map,
                    "[table]\ntime = t\ncomponent = {c}\nat = %s\n" READ
                    "column = r\nkind = %s\n",
                    cases[i].at, cases[i].kind);
        if (csv_open_text(strbuf_text(&map),
                          "t,c,r\n1000,a,10\n1005,a,20\n1010,a,40\n1015,a,80\n",
                          cases[i].offset_s, NULL, &series, &err) < 0)
            fail_msg("%zu: %s", i, err.text);
        grid_print(series, &got);
        if (strcmp(strbuf_text(&got), cases[i].want) != 0)
            fail_msg("%s at %s: got %s", cases[i].kind, cases[i].at, strbuf_text(&got));
        assert_string_equal(lmt_series_format(series), "table");
    }
}

static const char map_of_counts[] =
    "[table]\ntime = t\ncomponent = {c}\n" READ "column = r\nkind = count\n";

static void rows_that_cannot_be_read_are_logged_once_in_full(void **state)
{
    (void)state;
    static const struct {
        const char *csv, *want; /* "@" stands for the file */
    } cases[] = {
        { "t,c,r\n1000,a,1\n1005,a,2\n", "" },
        { "t;c;r\n1000;a;1\nx;a;1\n1005;a;2\n", "@: row 3: its time is none\n" },
        { "t,c,r\n1000,a,x\n1000,a,1\n1005,a\n1005,a,2\n",
          "@: row 2: a value is none\n@: 2 rows could not be read\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(lmt_series_close) struct lmt_series *series = NULL;
        AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
        struct err err = { 0 };
        if (csv_open_text(map_of_counts, cases[i].csv, 0, &log, &series, &err) < 0)
            fail_msg("%zu: %s", i, err.text);
        for (const char *at = cases[i].want; *at; at++)
            if (*at == '@')
                strbuf_adds(&want, scratch_path("table.csv"));
            else
                strbuf_addc(&want, *at);
        assert_string_equal(strbuf_text(&log), strbuf_text(&want));
    }
}

static void what_is_no_series_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *map, *csv;
        int rc;
        const char *reason;
    } cases[] = {
        { "[table]\n", "t\n", -EINVAL, "table.conf" },
        { "[table]\ntime = t\ncomponent = {c}\n[measure a/b]\ncolumn = r\n",
          "t,c,r\n1,a,1\n", -EINVAL, "[measure a/b]: no series has this name" },
        { map_of_counts, "", -EBADMSG, "table.csv: is empty" },
        { map_of_counts, "t,c,r\n", -EBADMSG, "table.csv: nothing of it is a series" },
        { map_of_counts, "t,c,r\nx,a,1\n", -EBADMSG, "nothing of it is a series" },
        { map_of_counts, "t,c\n1,a\n", -EINVAL, "the table has no column 'r'" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
        struct lmt_series *series = NULL;
        struct err err = { 0 };
        int rc = csv_open_text(cases[i].map, cases[i].csv, 0, &log, &series, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason) || series)
            fail_msg("%zu: %d: %s", i, rc, err.text);
        /* Who wants no reason gets the same. */
        rc = csv_open_text(cases[i].map, cases[i].csv, 0, NULL, &series, NULL);
        assert_int_equal(rc, cases[i].rc);
    }
}

static void names_that_lead_nowhere_are_errors(void **state)
{
    (void)state;
    static const struct lmt_opts opts = { 0 };
    static const struct {
        const char *path;
        int rc;
        const char *reason;
    } cases[] = {
        { "map:", -EINVAL, "'map:' is not 'map:MAPPING:SOURCE'" },
        { "map:/no/map", -EINVAL, "'map:/no/map' is not 'map:MAPPING:SOURCE'" },
        { "map:/no/map:/no/table", -ENOENT, "/no/map" },
        { "map::/no/table", -ENOENT, "" },
        { "/no/such", -ENOENT, "/no/such" },
        { "unix:/no/sock", -ENOTCONN, "unix:/no/sock" },
    };
    static const struct series_opts way = { .token_file = "" };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct lmt_series *series = NULL;
        struct err err = { 0 };
        int rc = series_open(cases[i].path, &way, &opts, &series, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason) || series)
            fail_msg("%s: %d: %s", cases[i].path, rc, err.text);
    }
    struct lmt_series *series = NULL;
    struct err err = { 0 };
    assert_int_equal(table_open(map_of_counts, "/no/table", 0, NULL, &series, &err),
                     -ENOENT);
    assert_non_null(strstr(err.text, "/no/table"));
}

/* ---- databases ---- */

static const char *database_make(void)
{
    sqlite3 *db = NULL;
    (void)unlink(scratch_path("table.db"));
    assert_int_equal(sqlite3_open(scratch_path("table.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "CREATE TABLE x (t, c, r);"
                                  "INSERT INTO x VALUES (1000, 'a', 1), (1005, 'a', 2),"
                                  "(1010, 'a', NULL), (1015, 'a', 4)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return scratch_path("table.db");
}

static void a_database_is_read_by_the_mappings_query(void **state)
{
    (void)state;
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    struct err err = { 0 };
    const char *map =
        "[table]\ntime = t\ncomponent = {c}\n"
        "query = SELECT t, c, r FROM x ORDER BY t\n" READ "column = r\nkind = count\n";
    if (table_open(map, database_make(), 0, NULL, &series, &err) < 0)
        fail_msg("%s", err.text);
    grid_print(series, &got);
    assert_string_equal(strbuf_text(&got), "a: 1 2 - 4\n");
}

static void a_database_wants_a_query(void **state)
{
    (void)state;
    const char *sources[] = { database_make(), "postgresql://127.0.0.1:1/db" };
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        struct lmt_series *series = NULL;
        struct err err = { 0 };
        assert_int_equal(table_open(map_of_counts, sources[i], 0, NULL, &series, &err),
                         -EINVAL);
        assert_string_equal(err.text, "[table]: a database wants a query");
    }
    struct lmt_series *series = NULL;
    struct err err = { 0 };
    const char *map =
        "[table]\ntime = t\ncomponent = {c}\nquery = SELECT nothing\n" READ
        "column = r\n";
    assert_int_equal(table_open(map, database_make(), 0, NULL, &series, &err),
                     -EBADMSG);
    assert_non_null(strstr(err.text, "nothing"));
    assert_true(table_open(map, sources[1], 0, NULL, &series, &err) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_what_its_kind_makes_it),
        cmocka_unit_test(rows_that_cannot_be_read_are_logged_once_in_full),
        cmocka_unit_test(what_is_no_series_is_an_error),
        cmocka_unit_test(names_that_lead_nowhere_are_errors),
        cmocka_unit_test(a_database_is_read_by_the_mappings_query),
        cmocka_unit_test(a_database_wants_a_query),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
